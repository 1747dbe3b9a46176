// The functions about the machine, ours by themselves and beside Debian's.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "tests/compat/papi/machine_papi.h"

namespace {

using csink::testing::LoadedPapi;
using csink::testing::Ours;

// Null where it is not installed.
const LoadedPapi* Debians() {
  static const LoadedPapi papi(DEBIAN_PAPI);
  static const bool ready =
      papi.library && PAPI_CALL(papi, PAPI_library_init)(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
  return ready ? &papi : nullptr;
}

#define SKIP_WITHOUT_DEBIANS \
  if (!Debians()) GTEST_SKIP() << "no libpapi7.0 of Debian at " DEBIAN_PAPI

std::uintptr_t At(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

TEST(HardwareInfo, IsComplete) {
  const PAPI_hw_info_t* info = PAPI_CALL(Ours(), PAPI_get_hardware_info)();
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info, PAPI_CALL(Ours(), PAPI_get_hardware_info)());
  EXPECT_EQ(info->totalcpus, sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_GE(info->ncpu * info->nnodes, info->totalcpus);
  EXPECT_GE(info->threads * info->cores * info->sockets, info->totalcpus);
  EXPECT_NE(info->vendor, PAPI_VENDOR_UNKNOWN);
  EXPECT_STRNE(info->vendor_string, "");
  EXPECT_STRNE(info->model_string, "");
  EXPECT_GT(info->cpu_max_mhz, 0);
  EXPECT_GT(info->cpu_min_mhz, 0);
  EXPECT_GT(info->mhz, 0);
  for (int level = 0; level < info->mem_hierarchy.levels; ++level) {
    for (const PAPI_mh_cache_info_t& cache : info->mem_hierarchy.level[level].cache) {
      if (cache.type == PAPI_MH_TYPE_EMPTY) continue;
      EXPECT_GT(cache.size, 0);
      EXPECT_EQ(cache.num_lines, cache.line_size ? cache.size / cache.line_size : 0);
      EXPECT_GE(cache.associativity, 0);
    }
  }
}

TEST(HardwareInfo, AgreesWithDebians) {
  SKIP_WITHOUT_DEBIANS;
  const PAPI_hw_info_t* ours = PAPI_CALL(Ours(), PAPI_get_hardware_info)();
  const PAPI_hw_info_t* theirs = PAPI_CALL(*Debians(), PAPI_get_hardware_info)();
  EXPECT_EQ(ours->totalcpus, theirs->totalcpus);
  EXPECT_EQ(ours->nnodes, theirs->nnodes);
  EXPECT_EQ(ours->ncpu, theirs->ncpu);
  EXPECT_EQ(ours->threads, theirs->threads);
  EXPECT_EQ(ours->cores, theirs->cores);
  EXPECT_EQ(ours->sockets, theirs->sockets);
  EXPECT_EQ(ours->vendor, theirs->vendor);
  EXPECT_STREQ(ours->vendor_string, theirs->vendor_string);
  EXPECT_STREQ(ours->model_string, theirs->model_string);
  EXPECT_EQ(ours->cpuid_family, theirs->cpuid_family);
  EXPECT_EQ(ours->cpuid_model, theirs->cpuid_model);
  EXPECT_EQ(ours->cpuid_stepping, theirs->cpuid_stepping);
  EXPECT_EQ(ours->revision, theirs->revision);
  EXPECT_NEAR(ours->cpu_max_mhz, theirs->cpu_max_mhz, theirs->cpu_max_mhz * 0.2);
  EXPECT_EQ(ours->virtualized, theirs->virtualized);
  // CPUID fills short names with blanks ("bhyve bhyve "), which ours leaves out.
  std::string vendor = theirs->virtual_vendor_string;
  while (vendor.ends_with(' ')) vendor.pop_back();
  EXPECT_EQ(ours->virtual_vendor_string, vendor);
  EXPECT_EQ(ours->mem_hierarchy.levels, theirs->mem_hierarchy.levels);
}

TEST(DmemInfo, AgreesWithProcAndDebians) {
  PAPI_dmem_info_t ours = {};
  ASSERT_EQ(PAPI_CALL(Ours(), PAPI_get_dmem_info)(&ours), PAPI_OK);
  EXPECT_EQ(ours.pagesize, sysconf(_SC_PAGESIZE));
  EXPECT_GE(ours.peak, ours.size);
  EXPECT_GE(ours.high_water_mark, ours.resident);
  EXPECT_GT(ours.pte, 0);
  SKIP_WITHOUT_DEBIANS;
  PAPI_dmem_info_t theirs = {};
  ASSERT_EQ(PAPI_CALL(*Debians(), PAPI_get_dmem_info)(&theirs), PAPI_OK);
  ASSERT_EQ(PAPI_CALL(Ours(), PAPI_get_dmem_info)(&ours), PAPI_OK);
  EXPECT_NEAR(ours.size, theirs.size, 1024);
  EXPECT_NEAR(ours.resident, theirs.resident, 1024);
  EXPECT_NEAR(ours.shared, theirs.shared, 1024);
  EXPECT_EQ(ours.text, theirs.text);
  EXPECT_EQ(ours.library, theirs.library);
  EXPECT_NEAR(ours.heap, theirs.heap, 1024);
  EXPECT_EQ(ours.locked, theirs.locked);
  EXPECT_NEAR(ours.stack, theirs.stack, 256);
  EXPECT_EQ(ours.pagesize, theirs.pagesize);
}

TEST(DmemInfo, RefusesANullPointer) {
  EXPECT_EQ(PAPI_CALL(Ours(), PAPI_get_dmem_info)(nullptr), PAPI_EINVAL);
}

TEST(DmemInfo, WorksWhenTheMainThreadSpeaksNotForUs) {
  int code = 1;
  PAPI_dmem_info_t info = {};
  std::thread([&] { code = PAPI_CALL(Ours(), PAPI_get_dmem_info)(&info); }).join();
  EXPECT_EQ(code, PAPI_OK);
  EXPECT_GT(info.resident, 0);
}

int g_data = 5;
int g_bss[2000];

TEST(ExecutableInfo, HoldsKnownAddresses) {
  const PAPI_exe_info_t* info = PAPI_CALL(Ours(), PAPI_get_executable_info)();
  ASSERT_NE(info, nullptr);
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(info->fullname, program);
  EXPECT_EQ(info->address_info.name, program.filename());
  const PAPI_address_map_t& map = info->address_info;
  const std::uintptr_t text = reinterpret_cast<std::uintptr_t>(&Ours);
  EXPECT_TRUE(text >= At(map.text_start) && text < At(map.text_end));
  EXPECT_TRUE(At(&g_data) >= At(map.data_start) && At(&g_data) < At(map.data_end));
  EXPECT_TRUE(At(&g_bss[1999]) >= At(map.bss_start) && At(&g_bss[1999]) < At(map.bss_end));
}

TEST(ExecutableInfo, HasDebiansTextToThePage) {
  SKIP_WITHOUT_DEBIANS;
  const PAPI_exe_info_t* ours = PAPI_CALL(Ours(), PAPI_get_executable_info)();
  const PAPI_exe_info_t* theirs = PAPI_CALL(*Debians(), PAPI_get_executable_info)();
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  EXPECT_STREQ(ours->fullname, theirs->fullname);
  EXPECT_STREQ(ours->address_info.name, theirs->address_info.name);
  EXPECT_EQ(At(ours->address_info.text_start) / page, At(theirs->address_info.text_start) / page);
  EXPECT_EQ((At(ours->address_info.text_end) + page - 1) / page,
            At(theirs->address_info.text_end) / page);
}

TEST(SharedLibInfo, GrowsByDlopenAndKeepsTheOldAnswer) {
  const PAPI_shlib_info_t* before = PAPI_CALL(Ours(), PAPI_get_shared_lib_info)();
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(before, PAPI_CALL(Ours(), PAPI_get_shared_lib_info)());
  const int count = before->count;
  ASSERT_GT(count, 0);
  const std::string first = before->map[0].name;
  void* const plugin = dlopen(MODULE_PLUGIN, RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const PAPI_shlib_info_t* after = PAPI_CALL(Ours(), PAPI_get_shared_lib_info)();
  EXPECT_EQ(after->count, count + 1);
  EXPECT_EQ(before->count, count);
  EXPECT_EQ(before->map[0].name, first);
  dlclose(plugin);
  EXPECT_EQ(PAPI_CALL(Ours(), PAPI_get_shared_lib_info)()->count, count);
}

TEST(SharedLibInfo, NamesWhatDebiansNames) {
  SKIP_WITHOUT_DEBIANS;
  const PAPI_shlib_info_t* ours = PAPI_CALL(Ours(), PAPI_get_shared_lib_info)();
  const PAPI_shlib_info_t* theirs = PAPI_CALL(*Debians(), PAPI_get_shared_lib_info)();
  std::set<std::string> our_names, their_names;
  for (int i = 0; i < ours->count; ++i) our_names.insert(ours->map[i].name);
  for (int i = 0; i < theirs->count; ++i) their_names.insert(theirs->map[i].name);
  EXPECT_EQ(our_names, their_names);
}

TEST(SharedLibInfo, IsSafeInManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {  // fewer calls than answers are kept
    threads.emplace_back([i] {
      for (int round = 0; round < 15; ++round) {
        void* const plugin = i % 2 ? dlopen(MODULE_PLUGIN, RTLD_NOW) : nullptr;
        const PAPI_shlib_info_t* info = PAPI_CALL(Ours(), PAPI_get_shared_lib_info)();
        ASSERT_NE(info, nullptr);
        ASSERT_GT(info->count, 0);
        if (plugin) dlclose(plugin);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Clocks, MoveTogether) {
  const auto nsec = PAPI_CALL(Ours(), PAPI_get_real_nsec);
  const auto usec = PAPI_CALL(Ours(), PAPI_get_real_usec);
  const long long us = usec(), ns = nsec(), us_after = usec();
  EXPECT_LE(us, ns / 1000);
  EXPECT_GE(us_after, ns / 1000);
  const auto cyc = PAPI_CALL(Ours(), PAPI_get_real_cyc);
  const long long cycles = cyc();
  EXPECT_GE(cyc(), cycles);
}

TEST(Clocks, VirtualCyclesAreTimeTimesMegahertz) {
  const int mhz = PAPI_CALL(Ours(), PAPI_get_hardware_info)()->cpu_max_mhz;
  const auto virt_ns = PAPI_CALL(Ours(), PAPI_get_virt_nsec);
  const long long before = virt_ns();
  const long long cycles = PAPI_CALL(Ours(), PAPI_get_virt_cyc)();
  const long long us = PAPI_CALL(Ours(), PAPI_get_virt_usec)();
  const long long after = virt_ns();
  EXPECT_GE(cycles, before * mhz / 1000);
  EXPECT_LE(cycles, after * mhz / 1000 + mhz);
  EXPECT_GE(us, before / 1000);
  EXPECT_LE(us, after / 1000);
}

TEST(Clocks, OfASleepingThreadStandStill) {
  const auto virt = PAPI_CALL(Ours(), PAPI_get_virt_nsec);
  const auto real = PAPI_CALL(Ours(), PAPI_get_real_nsec);
  const long long virt_before = virt(), real_before = real();
  usleep(50'000);
  EXPECT_LT(virt() - virt_before, 25'000'000);
  EXPECT_GE(real() - real_before, 50'000'000);
}

TEST(Locks, ExcludeAndRefuseStrangeNumbers) {
  const auto lock = PAPI_CALL(Ours(), PAPI_lock);
  const auto unlock = PAPI_CALL(Ours(), PAPI_unlock);
  for (const int number : {-1, PAPI_NUM_LOCK, 99, 1 << 30}) {
    EXPECT_EQ(lock(number), PAPI_EINVAL);
    EXPECT_EQ(unlock(number), PAPI_EINVAL);
  }
  long count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10'000; ++round) {
        lock(PAPI_USR1_LOCK);
        count = count + 1;
        unlock(PAPI_USR1_LOCK);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 40'000);
  EXPECT_EQ(lock(PAPI_USR2_LOCK), PAPI_OK);
  EXPECT_EQ(unlock(PAPI_USR2_LOCK), PAPI_OK);
}

}  // namespace

// PAPI_enum_dev_type and the attributes of devices.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/compat/papi/machine_papi.h"

namespace {

using csink::testing::Ours;

int Enumerate(int modifier, void** handle) {
  return PAPI_CALL(Ours(), PAPI_enum_dev_type)(modifier, handle);
}

// The ids of a whole enumeration.
std::vector<int> Ids(int modifier) {
  std::vector<int> ids;
  void* handle = nullptr;
  while (Enumerate(modifier, &handle) == PAPI_OK && ids.size() < 10) {
    int id = -1;
    EXPECT_EQ(
        PAPI_CALL(Ours(), PAPI_get_dev_type_attr)(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &id),
        PAPI_OK);
    ids.push_back(id);
  }
  EXPECT_EQ(handle, nullptr);
  return ids;
}

void* Cpu() {
  void* handle = nullptr;
  EXPECT_EQ(Enumerate(PAPI_DEV_TYPE_ENUM__FIRST, &handle), PAPI_OK);
  return handle;
}

unsigned CpuNumber(int id, PAPI_dev_attr_e attribute) {
  unsigned value = ~0u;
  EXPECT_EQ(PAPI_CALL(Ours(), PAPI_get_dev_attr)(Cpu(), id, attribute, &value), PAPI_OK)
      << attribute;
  return value;
}

TEST(DeviceTypes, AreEnumeratedByModifier) {
  EXPECT_EQ(Ids(PAPI_DEV_TYPE_ENUM__ALL), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Ids(PAPI_DEV_TYPE_ENUM__ALL), (std::vector<int>{0, 1, 2}));  // begins anew
  EXPECT_EQ(Ids(PAPI_DEV_TYPE_ENUM__CPU), (std::vector<int>{0}));
  EXPECT_EQ(Ids(PAPI_DEV_TYPE_ENUM__CUDA | PAPI_DEV_TYPE_ENUM__ROCM), (std::vector<int>{1, 2}));
  EXPECT_EQ(Ids(1 << 20), (std::vector<int>{}));
}

TEST(DeviceTypes, AreEnumeratedByEachThreadForItself) {
  void* handle = nullptr;
  ASSERT_EQ(Enumerate(PAPI_DEV_TYPE_ENUM__ALL, &handle), PAPI_OK);
  std::vector<int> others;
  std::thread([&] { others = Ids(PAPI_DEV_TYPE_ENUM__ALL); }).join();
  EXPECT_EQ(others, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Ids(PAPI_DEV_TYPE_ENUM__ALL), (std::vector<int>{1, 2}));  // the rest of ours
}

TEST(DeviceTypes, HaveNameCountAndStatus) {
  const auto attribute = PAPI_CALL(Ours(), PAPI_get_dev_type_attr);
  void* handle = nullptr;
  while (Enumerate(PAPI_DEV_TYPE_ENUM__ALL, &handle) == PAPI_OK) {
    const char *name = nullptr, *status = nullptr;
    int count = -1, vendor = -1;
    EXPECT_EQ(attribute(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &name), PAPI_OK);
    EXPECT_EQ(attribute(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &status), PAPI_OK);
    EXPECT_EQ(attribute(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count), PAPI_OK);
    EXPECT_EQ(attribute(handle, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &vendor), PAPI_OK);
    EXPECT_STRNE(name, "");
    EXPECT_STRNE(status, "");
    EXPECT_GE(count, 0);
    EXPECT_GT(vendor, 0);
  }
}

TEST(DeviceTypes, RefuseWrongArguments) {
  const auto attribute = PAPI_CALL(Ours(), PAPI_get_dev_type_attr);
  int value = 77;
  EXPECT_EQ(Enumerate(PAPI_DEV_TYPE_ENUM__ALL, nullptr), PAPI_EINVAL);
  EXPECT_EQ(attribute(nullptr, PAPI_DEV_TYPE_ATTR__INT_COUNT, &value), PAPI_EINVAL);
  EXPECT_EQ(attribute(&value, PAPI_DEV_TYPE_ATTR__INT_COUNT, &value), PAPI_EINVAL);
  EXPECT_EQ(attribute(Cpu(), PAPI_DEV_TYPE_ATTR__INT_COUNT, nullptr), PAPI_EINVAL);
  EXPECT_EQ(attribute(Cpu(), static_cast<PAPI_dev_type_attr_e>(99), &value), PAPI_ENOSUPP);
  EXPECT_EQ(value, 77);
}

TEST(CpuAttributes, AgreeWithHardwareInfo) {
  const PAPI_hw_info_t* info = PAPI_CALL(Ours(), PAPI_get_hardware_info)();
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT), unsigned(info->sockets));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT), unsigned(info->nnodes));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT), unsigned(info->cores));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT), unsigned(info->totalcpus));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_FAMILY), unsigned(info->cpuid_family));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_MODEL), unsigned(info->cpuid_model));
  EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_STEPPING), unsigned(info->cpuid_stepping));
  for (const PAPI_mh_cache_info_t& cache : info->mem_hierarchy.level[0].cache) {
    if (PAPI_MH_CACHE_TYPE(cache.type) != PAPI_MH_TYPE_DATA) continue;
    EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE), unsigned(cache.size));
    EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE), unsigned(cache.line_size));
    EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT),
              unsigned(cache.num_lines));
    EXPECT_EQ(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC), unsigned(cache.associativity));
  }
}

/// "Node 0 MemTotal:  8218400 kB", of each node; the whole memory where there are no such files.
unsigned MibOfNodes(unsigned nodes) {
  unsigned mib = 0;
  for (unsigned node = 0; node < nodes; ++node) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/meminfo");
    if (!file) return unsigned(sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024);
    std::string word;
    while (file >> word && word != "MemTotal:") {
    }
    unsigned long kib = 0;
    file >> kib;
    mib += unsigned(kib / 1024);
  }
  return mib;
}

TEST(CpuAttributes, DivideCpusAndMemoryIntoNodes) {
  const unsigned nodes = CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT);
  unsigned threads = 0, mib = 0;
  for (unsigned node = 0; node < nodes; ++node) {
    threads += CpuNumber(int(node), PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
    mib += CpuNumber(int(node), PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE);
  }
  EXPECT_EQ(threads, CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT));
  // Not the machine's: memory that a virtual machine was given later is in no node's file.
  EXPECT_NEAR(mib, MibOfNodes(nodes), nodes + 1);
  EXPECT_LT(CpuNumber(0, PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY), nodes);
}

TEST(CpuAttributes, RefuseWhatDoesNotExist) {
  const auto attribute = PAPI_CALL(Ours(), PAPI_get_dev_attr);
  unsigned value = 77;
  EXPECT_EQ(attribute(Cpu(), 0, PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE, &value), PAPI_ENOSUPP);
  EXPECT_EQ(attribute(Cpu(), 0, static_cast<PAPI_dev_attr_e>(1000), &value), PAPI_ENOSUPP);
  EXPECT_EQ(attribute(Cpu(), -1, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &value), PAPI_EINVAL);
  EXPECT_EQ(attribute(Cpu(), 1 << 20, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE, &value), PAPI_EINVAL);
  EXPECT_EQ(attribute(Cpu(), 1 << 20, PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY, &value),
            PAPI_EINVAL);
  EXPECT_EQ(attribute(Cpu(), 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, nullptr), PAPI_EINVAL);
  EXPECT_EQ(attribute(nullptr, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &value), PAPI_EINVAL);
  EXPECT_EQ(value, 77u);
}

}  // namespace

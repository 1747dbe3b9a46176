#include "agent/waiting/lock_place.h"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <memory>

namespace csink::agent {
namespace {

int g_data = 1;
int g_bss;

// Like a function of the test, for an address in its code.
void Here() {}

/// Load bias of this program, as the loader knows it.
std::uint64_t OwnBias() {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = info->dlpi_addr;
        return 1;  // the first object is the program
      },
      &bias);
  return bias;
}

DataPlace PlaceOf(const void* data) {
  ProcessMemory memory;
  return PlaceOfData("/proc/thread-self/maps", reinterpret_cast<std::uint64_t>(data), memory);
}

TEST(LockPlace, DataAndBssHaveTheirModule) {
  for (const int* object : {&g_data, &g_bss}) {
    const DataPlace place = PlaceOf(object);
    EXPECT_NE(place.code, 0u);
    EXPECT_LE(place.code, reinterpret_cast<std::uint64_t>(&Here));
    EXPECT_EQ(place.offset, reinterpret_cast<std::uint64_t>(object) - OwnBias());
  }
}

TEST(LockPlace, DataOfALibraryBelongsToTheLibrary) {
  const DataPlace own = PlaceOf(&g_data);
  const DataPlace library = PlaceOf(stderr);
  // glibc allocates stderr statically; other C libraries may not.
  if (library.code == 0) GTEST_SKIP();
  EXPECT_NE(library.code, own.code);
}

/// The first page behind the segments of this program.
std::uint64_t EndOfProgram() {
  std::uint64_t end = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          *static_cast<std::uint64_t*>(out) =
              (info->dlpi_addr + part.p_vaddr + part.p_memsz + 4095) & ~std::uint64_t{4095};
        }
        return 1;
      },
      &end);
  return end;
}

TEST(LockPlace, MemoryBehindAnImageIsNotItsData) {
  // The list of mappings shows this page as a part of the .bss.
  void* const page = mmap(reinterpret_cast<void*>(EndOfProgram()), 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (page == MAP_FAILED) GTEST_SKIP() << "something else lies behind the program";
  EXPECT_EQ(PlaceOf(page).code, 0u);
  munmap(page, 4096);
}

TEST(LockPlace, HeapAndStackHaveNone) {
  const auto heap = std::make_unique<int[]>(4);
  const int local = 0;
  EXPECT_EQ(PlaceOf(heap.get()).code, 0u);
  EXPECT_EQ(PlaceOf(&local).code, 0u);
  EXPECT_EQ(PlaceOf(nullptr).code, 0u);
}

}  // namespace
}  // namespace csink::agent

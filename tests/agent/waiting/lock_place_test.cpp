#include "agent/waiting/lock_place.h"

#include <gtest/gtest.h>
#include <link.h>

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

TEST(LockPlace, HeapAndStackHaveNone) {
  const auto heap = std::make_unique<int[]>(4);
  const int local = 0;
  EXPECT_EQ(PlaceOf(heap.get()).code, 0u);
  EXPECT_EQ(PlaceOf(&local).code, 0u);
  EXPECT_EQ(PlaceOf(nullptr).code, 0u);
}

}  // namespace
}  // namespace csink::agent

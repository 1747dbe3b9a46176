#include "core/counting/system/memory_info.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using testing::RecordedTree;

TEST(MemoryInfo, ReadsWhatTheKernelWrites) {
  const RecordedTree tree(
      {{"/proc/thread-self/status",
        "Name:\tx\nVmPeak:\t    6120 kB\nVmSize:\t    5908 kB\nVmLck:\t 8 kB\n"
        "VmHWM:\t 4470 kB\nVmRSS:\t 4468 kB\nVmData:\t 908 kB\nVmStk:\t 132 kB\n"
        "VmExe:\t 4 kB\nVmLib:\t 1784 kB\nVmPTE:\t 52 kB\n"},
       {"/proc/thread-self/statm", "1477 1117 796 1 0 260 0\n"}});
  const Result<MemoryInfo> info = ReadMemoryInfo(tree.tree());
  ASSERT_TRUE(info);
  const long long page_kib = sysconf(_SC_PAGESIZE) / 1024;
  EXPECT_EQ(info->peak_kib, 6120);
  EXPECT_EQ(info->size_kib, 5908);
  EXPECT_EQ(info->resident_kib, 4468);
  EXPECT_EQ(info->high_water_mark_kib, 4470);
  EXPECT_EQ(info->shared_kib, 796 * page_kib);
  EXPECT_EQ(info->text_kib, 4);
  EXPECT_EQ(info->library_kib, 1784);
  EXPECT_EQ(info->heap_kib, 908);
  EXPECT_EQ(info->locked_kib, 8);
  EXPECT_EQ(info->stack_kib, 132);
  EXPECT_EQ(info->page_table_kib, 52);
  EXPECT_EQ(info->page_bytes, sysconf(_SC_PAGESIZE));
}

TEST(MemoryInfo, MarksWhatIsMissingOrNoNumber) {
  const RecordedTree tree({{"/proc/thread-self/status",
                            "VmPeak: x kB\nVmSize: -4 kB\nVmRSS: 1 kB\n"
                            "VmHWM: 99999999999999999999 kB\n"}});
  const Result<MemoryInfo> info = ReadMemoryInfo(tree.tree());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->peak_kib, MemoryInfo::kUnknown);
  EXPECT_EQ(info->size_kib, MemoryInfo::kUnknown);
  EXPECT_EQ(info->high_water_mark_kib, MemoryInfo::kUnknown);
  EXPECT_EQ(info->shared_kib, MemoryInfo::kUnknown);
  EXPECT_EQ(info->resident_kib, 1);
}

TEST(MemoryInfo, FailsWithoutProc) {
  const RecordedTree tree;
  const Result<MemoryInfo> info = ReadMemoryInfo(tree.tree());
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, Errc::kNotFound);
}

TEST(MemoryInfo, SeesThisProcessGrow) {
  constexpr std::size_t kBytes = 32 << 20;
  const Result<MemoryInfo> before = ReadMemoryInfo();
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  const Result<MemoryInfo> after = ReadMemoryInfo();
  munmap(memory, kBytes);
  const Result<MemoryInfo> left = ReadMemoryInfo();
  ASSERT_TRUE(before && after && left);
  constexpr long long kKib = kBytes >> 10;
  EXPECT_GE(after->size_kib, before->size_kib + kKib);
  EXPECT_GE(after->resident_kib, before->resident_kib + kKib / 2);
  EXPECT_GE(after->heap_kib, before->heap_kib + kKib);
  EXPECT_GE(after->page_table_kib, before->page_table_kib);
  EXPECT_LT(left->size_kib, after->size_kib);
  EXPECT_GE(left->peak_kib, after->size_kib);
  EXPECT_GE(left->high_water_mark_kib, left->resident_kib);
}

}  // namespace
}  // namespace csink

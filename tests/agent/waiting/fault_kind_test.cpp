#include "agent/waiting/fault_kind.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

using spool::WaitKind;

/// A folder such as /proc/4711 with one thread.
class FaultKindTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Path("")); }

  std::string Path(const std::string& name) const { return folder_.path() + "/task/7/" + name; }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
  }
  WaitKind Kind() { return FaultKind(folder_.path(), 7, disk_bytes_); }

  csink::testing::TemporaryFolder folder_;
  std::uint64_t disk_bytes_ = 0;
};

TEST_F(FaultKindTest, ADiskNeedsAPageAndBytesOfAnotherRead) {
  Write("wchan", "folio_wait_bit_common");
  Write("io", "rchar: 5\nread_bytes: 4096\nwrite_bytes: 0\n");
  EXPECT_EQ(Kind(), WaitKind::kDiskFault);
  // Nothing was read since: the page is locked for another reason.
  EXPECT_EQ(Kind(), WaitKind::kFault);
  Write("io", "rchar: 5\nread_bytes: 8192\nwrite_bytes: 0\n");
  EXPECT_EQ(Kind(), WaitKind::kDiskFault);
  Write("wchan", "rwsem_down_read_slowpath");
  Write("io", "read_bytes: 12288\n");
  EXPECT_EQ(Kind(), WaitKind::kFault);
}

TEST_F(FaultKindTest, UserfaultfdIsNoDisk) {
  Write("wchan", "handle_userfault");
  Write("io", "rchar: 5\nread_bytes: 4096\n");
  EXPECT_EQ(Kind(), WaitKind::kUserFault);
}

TEST_F(FaultKindTest, AStoppedThreadIsCalledSo) {
  Write("wchan", "do_signal_stop");
  Write("stat", "7 (odd) T name) T 1 7 7 0 -1 4194368");
  EXPECT_EQ(Kind(), WaitKind::kStopped);
  Write("stat", "7 (odd) T name) S 1 7 7 0 -1 4194368");
  EXPECT_EQ(Kind(), WaitKind::kFault);
}

TEST_F(FaultKindTest, WithoutFilesNothingIsKnown) {
  EXPECT_EQ(Kind(), WaitKind::kFault);
  Write("wchan", "0");
  EXPECT_EQ(Kind(), WaitKind::kFault);
}

}  // namespace
}  // namespace csink::agent

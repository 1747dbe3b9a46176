#include "agent/attach/wait_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/machine/clocks.h"
#include "tests/agent/attach/made_proc.h"

namespace csink::attach {
namespace {

using testing::MadeProc;

constexpr pid_t kPid = 700;
constexpr std::uint64_t kMs = 1'000'000;

/// A process of a made /proc with one thread, whose line is a sleep.
class WaitWatchTest : public ::testing::Test {
 protected:
  WaitWatchTest() {
    surroundings_.proc = proc_.root();
    surroundings_.folder = proc_.root() + "/spools";
    std::filesystem::create_directory(surroundings_.folder);
    chmod(surroundings_.folder.c_str(), 0700);
    surroundings_.waits = true;
    surroundings_.header.source = spool::Source::kRing;
    surroundings_.header.event_count = 1;
    proc_.Write(kPid, "stat", MadeProc::Stat(kPid, "app", 'S', 0, 1, 1));
    proc_.Write(kPid, "task/700/schedstat", "1000000 2000 30\n");
    auto image = std::make_unique<ProcessImage>(surroundings_, kPid, 0);
    image->SetStart(0, 0, kBegin);
    image->AddThread(kPid, true, "app", nullptr, kBegin);
    images_[kPid] = std::move(image);
  }
  void Sleeps() {
    proc_.Write(kPid, "task/700/syscall", "230 0x0 0x0 0x1000 0x0 0x0 0x0 0x2000 0x3000\n");
  }
  void Moment(WaitWatch& watch, pid_t root, std::uint64_t now_ns) {
    watch.Moment(images_, root, now_ns, ThreadCpuNs());
  }

  const std::uint64_t kBegin = MonotonicNs();
  MadeProc proc_;
  Surroundings surroundings_;
  std::map<pid_t, std::unique_ptr<ProcessImage>> images_;
};

TEST_F(WaitWatchTest, TheAttachedProcessHasASpoolAtOnce) {
  Sleeps();
  WaitWatch watch(surroundings_.proc, kBegin);
  watch.set_most_files(16);
  Moment(watch, kPid, kBegin + kMs);
  ASSERT_TRUE(images_[kPid]->has_spool());
  const spool::WaitObserver& sums = images_[kPid]->spool().header().waits;
  EXPECT_EQ(sums.state, 1u);
  EXPECT_EQ(sums.looks, 1u);
  const auto* site = images_[kPid]->spool().At<spool::WaitSiteRecord>(1);
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->pc, 0x3000u);
#if defined(__x86_64__)
  EXPECT_EQ(site->kind, spool::WaitKind::kSleep);
#endif
  EXPECT_EQ(watch.TakeComplaint(), "");
}

TEST_F(WaitWatchTest, AChildHasOneAfterAWhile) {
  Sleeps();
  WaitWatch watch(surroundings_.proc, kBegin);
  Moment(watch, /*root=*/1, kBegin + 10 * kMs);
  EXPECT_FALSE(images_[kPid]->has_spool());
  Moment(watch, /*root=*/1, kBegin + 60 * kMs);
  EXPECT_TRUE(images_[kPid]->has_spool());
}

TEST_F(WaitWatchTest, TheNextMomentIsLater) {
  WaitWatch watch(surroundings_.proc, kBegin);
  EXPECT_GE(watch.next_ns(), kBegin);
  Moment(watch, kPid, kBegin + kMs);
  EXPECT_GE(watch.next_ns(), kBegin);
  EXPECT_LT(watch.next_ns(), MonotonicNs() + 16 * agent::LookClock::kLongestMeanNs);
}

TEST_F(WaitWatchTest, AnEndedImageIsForgotten) {
  Sleeps();
  WaitWatch watch(surroundings_.proc, kBegin);
  watch.set_most_files(16);
  Moment(watch, kPid, kBegin + kMs);
  watch.Forget(kPid);
  images_.erase(kPid);
  Moment(watch, kPid, kBegin + 2 * kMs);
  EXPECT_EQ(watch.TakeComplaint(), "");
}

TEST_F(WaitWatchTest, WithoutTheRightOneLineSaysSo) {
  if (geteuid() == 0) {
    // The file's mode does not stop root; a folder in its place gives EISDIR.
    std::filesystem::create_directories(proc_.FolderOf(kPid) + "/task/700/syscall");
  } else {
    Sleeps();
    chmod((proc_.FolderOf(kPid) + "/task/700/syscall").c_str(), 0);
  }
  WaitWatch watch(surroundings_.proc, kBegin);
  std::string complaint;
  int complaints = 0;
  for (unsigned i = 1; i <= 20; ++i) {
    Moment(watch, kPid, kBegin + i * kMs);
    if (const std::string line = watch.TakeComplaint(); !line.empty()) {
      complaint = line;
      ++complaints;
    }
  }
  EXPECT_EQ(complaints, 1);
  EXPECT_NE(complaint.find("blocked threads of process 700 are not observed"), std::string::npos);
  EXPECT_EQ(images_[kPid]->spool().header().waits.state, 2u);
}

TEST(FilesForWaits, AreSome) { EXPECT_LE(FilesForWaits(), 2048u); }

}  // namespace
}  // namespace csink::attach

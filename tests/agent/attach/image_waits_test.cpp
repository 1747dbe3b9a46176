#include "agent/attach/image_waits.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "core/machine/clocks.h"
#include "profil/reading/reader/reader.h"
#include "tests/agent/attach/made_proc.h"

namespace csink::attach {
namespace {

using spool::WaitKind;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

void* WaitForLock(void*) {
  pthread_mutex_lock(&g_lock);
  return nullptr;
}

/// A child process whose main thread holds g_lock and reads a pipe, and whose second thread waits
/// for g_lock. The read returns the errno that the test's reader never sends, so that a signal or a
/// stop would show.
class WaitingChild {
 public:
  WaitingChild() {
    EXPECT_EQ(pipe(ends_), 0);
    pid_ = fork();
    if (pid_ == 0) Child();
    close(ends_[0]);
  }
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;
  ~WaitingChild() {
    close(ends_[1]);
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  /// Ends the read of the child. Returns its exit status: 0 if nothing interrupted the read.
  int End() {
    EXPECT_EQ(write(ends_[1], "x", 1), 1);
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] void Child() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_mutex_lock(&g_lock);
    pthread_t waiter;
    if (pthread_create(&waiter, nullptr, WaitForLock, nullptr) != 0) _exit(2);
    char byte = 0;
    _exit(read(ends_[0], &byte, 1) == 1 ? 0 : 1);
  }

  int ends_[2] = {-1, -1};
  pid_t pid_ = 0;
};

class ImageWaitsTest : public ::testing::Test {
 protected:
  ImageWaitsTest() {
    surroundings_.folder = made_.root() + "/spools";
    std::filesystem::create_directory(surroundings_.folder);
    chmod(surroundings_.folder.c_str(), 0700);
    surroundings_.waits = true;
    surroundings_.header.source = spool::Source::kRing;
    surroundings_.header.event_count = 1;
    surroundings_.header.events[0].kind = EventClass::kClock;
    surroundings_.header.events[0].period = 1'000'000;
  }
  void SetUp() override {
    if (access("/proc/self/syscall", R_OK) != 0) GTEST_SKIP() << "no /proc/PID/syscall";
  }
  /// As Session does at the attaching.
  static void Begin(ProcessImage& image) {
    image.ReadFacts();
    ASSERT_TRUE(image.ReadMaps());
    image.SetStart(0, 0, MonotonicNs());
    const std::string folder = "/proc/" + std::to_string(image.pid());
    for (int i = 0; i < 5000 && ThreadsOf(folder).size() < 2; ++i) Sleep();
    for (const pid_t tid : ThreadsOf(folder)) {
      image.AddThread(tid, true, ThreadName(folder, tid), nullptr, MonotonicNs());
    }
    ASSERT_EQ(image.live_threads(), 2u);
    ASSERT_TRUE(image.MakeSpool());
  }
  static void Sleep() {
    const timespec time = {0, 1'000'000};
    nanosleep(&time, nullptr);
  }
  static void Observe(ImageWaits& waits, int moments) {
    for (int i = 0; i < moments && waits.failure() == 0; ++i) {
      waits.Moment(/*most_files=*/64);
      Sleep();
    }
  }
  static const spool::WaitSiteRecord* Site(ProcessImage& image, WaitKind kind) {
    for (std::uint32_t id = 1;; ++id) {
      const auto* site = image.spool().At<spool::WaitSiteRecord>(id);
      if (site == nullptr || site->kind == kind) return site;
    }
  }

  testing::MadeProc made_;
  Surroundings surroundings_;
};

TEST_F(ImageWaitsTest, FindsWaitsLocksAndHoldersOfAnotherProcess) {
  WaitingChild child;
  ProcessImage image(surroundings_, child.pid(), 0);
  Begin(image);
  ImageWaits waits("/proc", image);
  Observe(waits, 40);
  ASSERT_EQ(waits.failure(), 0);
  EXPECT_EQ(waits.threads(), 2u);
  EXPECT_EQ(waits.files(), 4u);

  const spool::WaitSiteRecord* reads = Site(image, WaitKind::kRead);
  ASSERT_NE(reads, nullptr);
  EXPECT_EQ(reads->descriptor, spool::DescriptorKind::kPipe);
  EXPECT_NE(reads->region, spool::kNone);
  EXPECT_NE(reads->chain, 0u);
  EXPECT_GT(reads->blocked_ns, 10'000'000u);
  const spool::WaitSiteRecord* site = Site(image, WaitKind::kMutex);
  ASSERT_NE(site, nullptr);
  ASSERT_EQ(site->lock, 1u);
  // A forked child has the variables of its parent at their addresses.
  const spool::LockRecord& lock = *image.spool().At<spool::LockRecord>(1);
  EXPECT_EQ(lock.address, reinterpret_cast<std::uint64_t>(&g_lock));
  EXPECT_NE(lock.region, spool::kNone);
  const auto* holder = image.spool().At<spool::HolderRecord>(0);
  ASSERT_NE(holder, nullptr);
  EXPECT_EQ(holder->tid, static_cast<std::uint32_t>(child.pid()));
  EXPECT_EQ(holder->state, 2u);  // it is blocked, in the read
  EXPECT_EQ(holder->pc, reads->pc);
  EXPECT_EQ(image.spool().header().waits.cut, 0u);
  EXPECT_EQ(child.End(), 0);
}

TEST_F(ImageWaitsTest, TheReportHasTheCallersOfAnotherProcess) {
  WaitingChild child;
  ProcessImage image(surroundings_, child.pid(), 0);
  Begin(image);
  ImageWaits waits("/proc", image);
  Observe(waits, 10);
  const auto spool = spool::ReadSpoolFile(image.spool_path());
  ASSERT_TRUE(spool);
  EXPECT_TRUE(spool->problems.empty());
  bool found = false;
  for (const spool::Chain& node : spool->chains) {
    const auto begin = reinterpret_cast<std::uint64_t>(&WaitForLock);
    found = found || (node.pc > begin && node.pc < begin + 64);
  }
  EXPECT_TRUE(found);
}

TEST_F(ImageWaitsTest, AThreadThatEndedIsDropped) {
  WaitingChild child;
  ProcessImage image(surroundings_, child.pid(), 0);
  Begin(image);
  ImageWaits waits("/proc", image);
  Observe(waits, 3);
  for (const pid_t tid : ThreadsOf("/proc/" + std::to_string(child.pid()))) {
    if (tid != child.pid()) image.EndThread(tid);
  }
  Observe(waits, 1);
  EXPECT_EQ(waits.threads(), 1u);
  EXPECT_EQ(waits.files(), 2u);
}

TEST_F(ImageWaitsTest, FilesThatMayNotStayOpenAreReadAnew) {
  WaitingChild child;
  ProcessImage image(surroundings_, child.pid(), 0);
  Begin(image);
  ImageWaits waits("/proc", image);
  for (int i = 0; i < 5; ++i) waits.Moment(/*most_files=*/0);
  EXPECT_EQ(waits.files(), 0u);
  EXPECT_NE(Site(image, WaitKind::kMutex), nullptr);
}

TEST_F(ImageWaitsTest, AFolderThatCannotBeReadEndsTheObservation) {
  WaitingChild child;
  ProcessImage image(surroundings_, child.pid(), 0);
  Begin(image);
  // A /proc of the test, in which a thread's line is not to be read.
  for (const pid_t tid : ThreadsOf("/proc/" + std::to_string(child.pid()))) {
    made_.Write(child.pid(), "task/" + std::to_string(tid) + "/schedstat", "1000 20 3\n");
  }
  ImageWaits waits(made_.root(), image);
  Observe(waits, 10);
  EXPECT_EQ(waits.failure(), ENOENT);
  EXPECT_EQ(image.spool().header().waits.state, 2u);
  EXPECT_EQ(image.spool().header().waits.stopped_errno, static_cast<std::uint32_t>(ENOENT));
  EXPECT_EQ(waits.files(), 0u);
}

}  // namespace
}  // namespace csink::attach

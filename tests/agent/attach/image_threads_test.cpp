#include "agent/attach/image_threads.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/agent/attach/made_proc.h"
#include "tests/profil/spool_bytes.h"

namespace csink::attach {
namespace {

using testing::MadeProc;
using testing::TemporaryFolder;

constexpr pid_t kPid = 700;

class ImageThreadsTest : public ::testing::Test {
 protected:
  ImageThreadsTest() {
    chmod(folder_.path().c_str(), 0700);
    EXPECT_TRUE(spool_.Create(folder_.path(), "threads", {}, 0));
    (void)spool_.Add(spool::ThreadRecord{});  // Record 0, of threads without one of their own
  }
  void Run(pid_t tid, std::uint64_t run_ns) {
    proc_.Write(kPid, "task/" + std::to_string(tid) + "/schedstat",
                std::to_string(run_ns) + " 3000 4\n");
  }
  spool::ThreadRecord& Record(const ImageThread& thread) {
    return *spool_.At<spool::ThreadRecord>(thread.record);
  }

  MadeProc proc_;
  TemporaryFolder folder_;
  SpoolWriter spool_;
  ImageThreads threads_;
};

TEST_F(ImageThreadsTest, TimesBeginWithTheAttaching) {
  Run(7, 5'000);
  const TaskTimes times = *ReadTaskTimes(proc_.FolderOf(kPid), 7);
  ImageThread& thread = threads_.Add(7, true, "worker", &times, 100);
  Run(7, 8'000);
  EXPECT_EQ(threads_.RunSinceStart(proc_.FolderOf(kPid)), 3'000u);
  EXPECT_EQ(thread.RunNs(), 0u);
  threads_.ReadTimes(proc_.FolderOf(kPid), 200);
  EXPECT_EQ(thread.RunNs(), 3'000u);
  EXPECT_EQ(thread.last_ns, 200u);
}

TEST_F(ImageThreadsTest, CpuTimeWithoutEventsStaysWhenTheThreadEnds) {
  const TaskTimes none;
  threads_.Add(7, false, "refused", &none, 0);
  threads_.Add(8, true, "sampled", &none, 0);
  Run(7, 4'000);
  Run(8, 9'000);
  threads_.ReadTimes(proc_.FolderOf(kPid), 200);
  EXPECT_EQ(threads_.UnsampledNs(), 4'000u);
  threads_.End(7, nullptr);
  threads_.End(8, nullptr);
  EXPECT_EQ(threads_.UnsampledNs(), 4'000u);
  EXPECT_TRUE(threads_.live().empty());
  EXPECT_EQ(threads_.seen(), 2u);
  EXPECT_EQ(threads_.sampled(), 1u);
}

TEST_F(ImageThreadsTest, ARecordHasTheLastName) {
  const TaskTimes none;
  ImageThread& thread = threads_.Add(7, true, "first", &none, 0);
  threads_.Rename(7, "second", &spool_);
  threads_.RecordOf(7, thread, spool_);
  EXPECT_STREQ(Record(thread).name, "second");
  threads_.Rename(7, "third", &spool_);
  EXPECT_STREQ(Record(thread).name, "third");
}

TEST_F(ImageThreadsTest, ThreadsBeyondTheLimitShareARecord) {
  const TaskTimes none;
  for (pid_t tid = 1; tid <= 16 * 1024; ++tid) {
    threads_.RecordOf(tid, threads_.Add(tid, true, "own", &none, 0), spool_);
  }
  ImageThread& beyond = threads_.Add(20'000, true, "beyond", &none, 0);
  ASSERT_EQ(threads_.RecordOf(20'000, beyond, spool_), spool::kMergedThread);
  beyond.sampled_ns = 50;
  beyond.last.run_ns = 70;
  // The name of one of them is not that of all.
  threads_.Rename(20'000, "renamed", &spool_);
  threads_.Store(spool_);
  EXPECT_STREQ(Record(beyond).name, "");
  EXPECT_EQ(Record(beyond).cpu_ns, 0u);
  threads_.End(20'000, &spool_);
  EXPECT_EQ(spool_.At<spool::ThreadRecord>(spool::kMergedThread)->cpu_ns, 70u);
  EXPECT_EQ(spool_.At<spool::ThreadRecord>(spool::kMergedThread)->sampled_ns, 50u);
}

TEST_F(ImageThreadsTest, AnEndedThreadHasAtLeastTheTimeOfItsSamples) {
  const TaskTimes none;
  ImageThread& thread = threads_.Add(7, true, "short", &none, 0);
  const std::uint32_t record = threads_.RecordOf(7, thread, spool_);
  thread.sampled_ns = 50;
  threads_.End(7, &spool_);
  EXPECT_EQ(spool_.At<spool::ThreadRecord>(record)->cpu_ns, 50u);
  EXPECT_EQ(spool_.At<spool::ThreadRecord>(record)->ended, 1u);
}

}  // namespace
}  // namespace csink::attach

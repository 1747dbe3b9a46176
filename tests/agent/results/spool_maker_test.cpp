#include "agent/results/spool_maker.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/agent/lifecycle_fixture.h"

namespace csink::agent {
namespace {

class SpoolMakerTest : public testing::LifecycleTest {
 protected:
  /// 10 KiB; zero.
  std::unique_ptr<spool::Header> header_ = std::make_unique<spool::Header>();
};

TEST_F(SpoolMakerTest, TheHeaderSaysWhatIsSampled) {
  batch_job_.rank_plus_one = 3;
  batch_job_.job.Add("job 5");
  config_.tree = 9;
  Begin("task-clock,context-switches");
  maker_.Describe(*header_, /*brief=*/false);
  EXPECT_EQ(header_->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(header_->tree_id, 9u);
  EXPECT_EQ(header_->rank_plus_one, 3u);
  EXPECT_STREQ(header_->job, "job 5");
  EXPECT_EQ(header_->source, spool::Source::kRing);
  EXPECT_STREQ(header_->source_reason, "set by CSINK_EVENTS");
  ASSERT_EQ(header_->event_count, 2u);
  EXPECT_STREQ(header_->events[0].name, "task-clock:u");
  EXPECT_EQ(header_->events[0].skid, spool::Skid::kTimer);
  EXPECT_EQ(header_->events[0].period, kDefaultClockPeriodNs);
}

TEST_F(SpoolMakerTest, CpuTimersAreASourceOfTheirOwn) {
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  Begin("task-clock");
  maker_.Describe(*header_, /*brief=*/true);
  EXPECT_EQ(header_->source, spool::Source::kTimer);
  EXPECT_STREQ(header_->events[0].name, "task-clock");  // it counts kernel mode, too
  EXPECT_EQ(header_->events[0].skid, spool::Skid::kTick);
}

TEST_F(SpoolMakerTest, TheSpoolHasTheSettings) {
  config_.spool_dir.Add(tree_.path());
  Begin("task-clock");
  SpoolWriter spool;
  ASSERT_TRUE(maker_.MakeSpool(spool));
  ASSERT_EQ(tree_.files(), 1u);
  std::ifstream file(spool.path(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::string lines =
      bytes.substr(spool.header().configuration, spool.header().configuration_bytes);
  EXPECT_NE(lines.find("CSINK_EVENTS='task-clock:u@1000003'\nCSINK_SOURCE='ring'\n"),
            std::string::npos)
      << lines;
}

}  // namespace
}  // namespace csink::agent

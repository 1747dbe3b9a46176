#include "symbolizer/report/data/run_facts.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::report {
namespace {

using testing::SpoolBuilder;

/// A spool of one image of a process, with its facts.
SpoolBuilder Image(std::uint32_t pid, std::uint32_t generation, std::uint64_t faults,
                   const char* surroundings) {
  SpoolBuilder builder;
  builder.AddEvent("task-clock:u", EventClass::kClock, 1'000'000);
  builder.header().pid = pid;
  builder.header().process_start_ticks = 100 + pid;
  builder.header().exec_generation = generation;
  builder.header().start_realtime_ns += pid * 1000 + generation;
  builder.header().user_ns = faults * 1'000'000;
  spool::RunFactsRecord facts{};
  facts.minor_faults = faults;
  facts.preemptions = 3;
  facts.max_resident_bytes = faults * 4096;
  facts.read_calls = 7;
  facts.written_bytes = 90;
  builder.AddRunFacts(facts, surroundings);
  return builder;
}

Profile Merge(const std::vector<std::vector<std::byte>>& files) {
  ProfileMerger merger(MergeOptions{});
  for (const auto& file : files) {
    auto spool = spool::ParseSpool(file);
    EXPECT_TRUE(spool);
    merger.Add(*spool, ProcessState::kComplete, "x");
  }
  return merger.Finish();
}

TEST(RunFacts, AreSumsOfTheLastImages) {
  const RunFactsSum sum = SumOfRunFacts(Merge({
      Image(1, 0, 100, "key=aa\nthp=always\n").Build(),
      Image(1, 1, 150, "key=aa\nthp=never\nenv:A=1=2\ninput:/a=b=17\nno value\n=x\n").Build(),
      Image(2, 0, 20, "key=bb\n").Build(),
  }));
  EXPECT_TRUE(sum.known);
  EXPECT_TRUE(sum.calls_known);
  EXPECT_EQ(sum.minor_faults, 170);
  EXPECT_EQ(sum.preemptions, 6);
  EXPECT_EQ(sum.max_resident_bytes, 150 * 4096);
  EXPECT_EQ(sum.read_calls, 14);
  // Of the process with most CPU time.
  const std::map<std::string, std::string> expected = {
      {"key", "aa"}, {"thp", "never"}, {"env:A", "1=2"}, {"input:/a=b", "17"}};
  EXPECT_EQ(sum.surroundings, expected);
}

TEST(RunFacts, SurviveAMergedFile) {
  const Profile profile =
      Merge({Image(1, 0, 100, "key=aa\n").Build(), Image(2, 0, 20, "").Build()});
  const auto file = BuildMergedFile(profile);
  ASSERT_TRUE(file);
  const RunFactsSum sum = SumOfRunFacts(Merge({*file}));
  EXPECT_EQ(sum.minor_faults, 120);
  EXPECT_EQ(sum.written_bytes, 180);
  EXPECT_EQ(sum.surroundings.at("key"), "aa");
}

TEST(RunFacts, AreNotKnownOfOlderFiles) {
  SpoolBuilder builder;
  builder.AddEvent("task-clock:u", EventClass::kClock, 1'000'000);
  EXPECT_FALSE(SumOfRunFacts(Merge({builder.Build()})).known);
}

}  // namespace
}  // namespace csink::report

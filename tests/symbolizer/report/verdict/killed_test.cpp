#include "symbolizer/report/verdict/killed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "symbolizer/report/verdict/verdict.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `killed` of `all` processes were killed.
Profile ProfileOf(std::size_t killed, std::size_t all) {
  Profile profile;
  profile.processes.resize(all);
  for (std::size_t i = 0; i < killed; ++i) profile.processes[i].state = ProcessState::kKilled;
  return profile;
}

TEST(KilledNote, IsEmptyWithoutKilledProcesses) {
  EXPECT_EQ(KilledNote(ProfileOf(0, 2)), "");
  EXPECT_EQ(EndsOfKilled(ProfileOf(0, 2)), "");
}

TEST(KilledNote, DoesNotGuessWhoKilled) {
  EXPECT_EQ(KilledNote(ProfileOf(1, 1)),
            "the program was killed (SIGKILL, or a signal without a handler); complete up to 100 "
            "ms of CPU time before");
  EXPECT_THAT(KilledNote(ProfileOf(2, 3)), HasSubstr("2 processes were killed (SIGKILL"));
  EXPECT_THAT(KilledNote(ProfileOf(2, 3)), Not(HasSubstr("memory")));
}

TEST(KilledNote, AllowsMoreTimeForThreads) {
  Profile profile = ProfileOf(1, 1);
  profile.processes[0].threads_seen = 2;
  EXPECT_THAT(KilledNote(profile), HasSubstr("complete up to 250 ms before"));
}

TEST(KilledNote, NamesTheSignalThatCsinkRunSaw) {
  Profile profile = ProfileOf(1, 1);
  profile.tree.signal = SIGKILL;
  EXPECT_THAT(KilledNote(profile), HasSubstr("was killed (SIGKILL); complete"));
  profile.tree.signal = SIGSEGV;
  EXPECT_THAT(KilledNote(profile), HasSubstr("was killed by signal 11; complete"));
  // The signal of the command is not that of every process.
  profile.processes.emplace_back();
  EXPECT_THAT(KilledNote(profile), Not(HasSubstr("signal 11")));
}

TEST(KilledNote, NamesLackOfMemoryWhereTheKernelCountedIt) {
  Profile profile = ProfileOf(1, 1);
  profile.tree.signal = SIGKILL;
  profile.tree.machine_oom_kills = 1;
  EXPECT_THAT(KilledNote(profile),
              HasSubstr("killed (SIGKILL), perhaps by the kernel for lack of memory (oom_kill in "
                        "/proc/vmstat: 1;"));
  profile.tree.cgroup_oom_kills = 1;
  EXPECT_THAT(KilledNote(profile),
              HasSubstr("was killed by the kernel for lack of memory (oom_kill of the cgroup: 1)"));
  // Another program of the machine was killed.
  profile.tree.cgroup_oom_kills = 0;
  profile.tree.signal = SIGSEGV;
  EXPECT_THAT(KilledNote(profile), Not(HasSubstr("memory")));
}

TEST(Judge, CountsTheMissingEndOfAKilledProcessToThatProcess) {
  Profile profile = ProfileOf(1, 2);
  profile.processes[0].user_ns = 1'000'000'000;
  profile.tree = {true, "app", 2'000'000'000, 2'000'000'000, 0};
  std::string notes;
  for (const std::string& note : Judge(profile).notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("(50.0%) was used by 1 killed process after its last update, or by "
                               "processes without a profile: too short, static or setuid"));
  profile.processes[0].state = ProcessState::kComplete;
  notes.clear();
  for (const std::string& note : Judge(profile).notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("(50.0%) was used by processes without a profile: too short"));
}

}  // namespace
}  // namespace csink::report

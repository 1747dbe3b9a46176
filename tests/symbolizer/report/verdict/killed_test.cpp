#include "symbolizer/report/verdict/killed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace csink::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `ended` of `all` processes ended in this way.
Profile ProfileOf(std::size_t ended, std::size_t all, ProcessState state,
                  std::uint32_t detail = 0) {
  Profile profile;
  profile.processes.resize(all);
  for (std::size_t i = 0; i < ended; ++i) {
    profile.processes[i].state = state;
    profile.processes[i].end_detail = detail;
  }
  return profile;
}

TEST(UnseenEndNotes, AreNoneWhereAllEndsWereSeen) {
  EXPECT_THAT(UnseenEndNotes(ProfileOf(0, 2, ProcessState::kKilled)), IsEmpty());
}

TEST(UnseenEndNotes, SayUnknownWithoutAWaitStatus) {
  EXPECT_THAT(UnseenEndNotes(ProfileOf(1, 1, ProcessState::kUnknown)),
              ElementsAre("how the program ended is not known: no end was recorded, and no wait "
                          "for it was seen; complete up to 100 ms of CPU time before"));
}

TEST(UnseenEndNotes, NameTheSignalThatAWaitReturned) {
  EXPECT_THAT(UnseenEndNotes(ProfileOf(1, 1, ProcessState::kKilled, SIGKILL)),
              ElementsAre(HasSubstr("the program was killed by SIGKILL; complete")));
  EXPECT_THAT(UnseenEndNotes(ProfileOf(2, 3, ProcessState::kKilled, SIGSEGV)),
              ElementsAre(HasSubstr("2 processes were killed by SIGSEGV; complete")));
}

TEST(UnseenEndNotes, NameTheStatusOfAnExit) {
  EXPECT_THAT(UnseenEndNotes(ProfileOf(1, 2, ProcessState::kExited, 3)),
              ElementsAre(HasSubstr("1 process exited with status 3 by a call that")));
}

TEST(UnseenEndNotes, AllowMoreTimeForThreads) {
  Profile profile = ProfileOf(1, 1, ProcessState::kUnknown);
  profile.processes[0].threads_seen = 2;
  EXPECT_THAT(UnseenEndNotes(profile), ElementsAre(HasSubstr("complete up to 250 ms before")));
}

TEST(UnseenEndNotes, SayWhatTheKernelCountedInTheCgroup) {
  Profile profile = ProfileOf(1, 1, ProcessState::kKilled, SIGKILL);
  profile.tree.cgroup_oom_kills = 1;
  EXPECT_THAT(UnseenEndNotes(profile),
              ElementsAre(HasSubstr("in this time the kernel killed 1 process of the cgroup for "
                                    "lack of memory (oom_kill)")));
  profile.processes[0].end_detail = SIGSEGV;
  EXPECT_THAT(UnseenEndNotes(profile), ElementsAre(testing::Not(HasSubstr("memory"))));
}

}  // namespace
}  // namespace csink::report

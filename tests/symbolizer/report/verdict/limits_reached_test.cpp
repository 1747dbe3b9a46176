#include "symbolizer/report/verdict/limits_reached.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace csink::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Profile OfProcesses(std::size_t count) {
  Profile profile;
  profile.processes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    profile.processes[i].pid = static_cast<std::uint32_t>(100 + i);
  }
  return profile;
}

void Refuse(ProcessRow& row, std::uint32_t error, std::uint64_t limit = spool::kNoFileLimit) {
  row.evidence.growth_refusals = 1;
  row.evidence.growth_errno = error;
  row.evidence.growth_limit = limit;
}

TEST(LimitNotes, AreNoneWhereNoneWasReached) { EXPECT_THAT(LimitNotes(OfProcesses(2)), IsEmpty()); }

TEST(LimitNotes, SayThatMappingsHadNoRoom) {
  Profile profile = OfProcesses(2);
  profile.processes[0].evidence.lost_mappings = 1200;
  EXPECT_THAT(LimitNotes(profile),
              ElementsAre("1,200 executable mappings had no room in the table of mappings: samples "
                          "in them have no names"));
}

TEST(LimitNotes, NameTheErrnoAndTheLimit) {
  Profile profile = OfProcesses(4);
  Refuse(profile.processes[0], EFBIG, 65536);
  Refuse(profile.processes[2], ENOSPC);
  Refuse(profile.processes[3], ENOSPC);
  EXPECT_THAT(LimitNotes(profile),
              ElementsAre("the spool of pid 100 could not grow: File too large (limit of file "
                          "sizes, RLIMIT_FSIZE: 65,536 bytes)",
                          "the spools of 2 processes could not grow: No space left on device"));
}

TEST(LimitNotes, LeaveSandboxesToTheirOwnNote) {
  Profile profile = OfProcesses(1);
  Refuse(profile.processes[0], EPERM);
  profile.processes[0].frozen = true;
  EXPECT_THAT(LimitNotes(profile), IsEmpty());
}

}  // namespace
}  // namespace csink::report

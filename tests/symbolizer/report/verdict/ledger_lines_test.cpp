#include "symbolizer/report/verdict/ledger_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace csink::report {
namespace {

using ::testing::HasSubstr;

/// An image that began with `start` of CPU time and ended with `end`, in ms.
ProcessRow Image(std::uint32_t pid, std::uint64_t when, std::uint64_t start, std::uint64_t end) {
  ProcessRow row;
  row.pid = pid;
  row.start_monotonic_ns = when;
  row.start_user_ns = start * 1'000'000;
  row.user_ns = end * 1'000'000;
  return row;
}

TEST(BeforeAgent, IsWhatNoImageCouldSample) {
  Profile profile;
  // A process of two images: the second's start holds what the first one sampled.
  profile.processes = {Image(1, 20, 150, 300), Image(1, 10, 40, 120), Image(2, 30, 60, 100)};
  EXPECT_DOUBLE_EQ(MakeLedger(profile).SecondsOf(Cause::kBeforeAgent), 0.130);
  EXPECT_DOUBLE_EQ(MakeLedger(profile).cpu_seconds, 0.400);
  EXPECT_THAT(BeforeAgentLine(MakeLedger(profile)),
              HasSubstr("130 ms of 400 ms of CPU time was used before"));
}

TEST(BeforeAgent, KnowsAProcessNumberThatIsUsedAgain) {
  Profile profile;
  profile.processes = {Image(1, 10, 40, 500), Image(1, 20, 30, 60)};
  profile.processes[1].start_ticks = 1;
  EXPECT_DOUBLE_EQ(MakeLedger(profile).SecondsOf(Cause::kBeforeAgent), 0.070);
}

TEST(BeforeAgent, IsNotWorthALineUpToFivePercent) {
  Profile profile;
  profile.processes = {Image(1, 10, 50, 1000)};
  EXPECT_EQ(BeforeAgentLine(MakeLedger(profile)), "");
  profile.processes = {Image(1, 10, 51, 1000)};
  EXPECT_NE(BeforeAgentLine(MakeLedger(profile)), "");
  profile.processes = {Image(1, 10, 9, 12)};  // ticks of the kernel's
  EXPECT_EQ(BeforeAgentLine(MakeLedger(profile)), "");
  EXPECT_EQ(BeforeAgentLine(Ledger()), "");
}

/// 10 s of CPU time with these remainders.
Ledger LedgerOf(std::vector<Remainder> remainders) {
  Ledger ledger;
  ledger.cpu_seconds = ledger.judged_seconds = 10;
  ledger.remainders = std::move(remainders);
  return ledger;
}

TEST(OutsideNote, NamesEachCauseWithItsAmount) {
  EXPECT_EQ(OutsideNote(LedgerOf({{Cause::kStatic, {.program = "/bin/busybox"}, 0.4, 1},
                                  {Cause::kUnknown, {}, 0.1},
                                  {Cause::kNoRing, {}, 3, 1, Where::kSampled}})),
            "0.50 s of CPU time (5.0%) is in no profile: 400 ms in /bin/busybox, which is "
            "statically linked, 100 ms unknown");
}

TEST(LossLine, IsEmptyWhereSamplesExplainAll) { EXPECT_EQ(LossLine(LedgerOf({})), ""); }

TEST(LossLine, CallsWhatIsLeftUnknown) {
  EXPECT_EQ(LossLine(LedgerOf({{Cause::kNoRing, {}, 1, 1, Where::kSampled},
                               {Cause::kUnknown, {}, 0.5, 0, Where::kSampled},
                               {Cause::kStatic, {}, 0.5, 1}})),
            "not sampled: 1 s in threads without a ring buffer, 500 ms unknown");
}

}  // namespace
}  // namespace csink::report

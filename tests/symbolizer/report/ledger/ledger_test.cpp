#include "symbolizer/report/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "profil/reading/model/child_ends.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMs = 1'000'000;

/// What a process that exited with `status` has in its wait status; for a signal, the signal.
constexpr int Exited(int status) { return status << 8; }

/// A tree of one clock event. Times are in ms.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    EventTotals clock;
    clock.name = "task-clock:u";
    clock.kind = EventClass::kClock;
    profile_.events.push_back(clock);
  }

  /// A process that began at `start`, whose last reading is `read` of user time, all sampled.
  ProcessRow& AddProcess(std::uint32_t pid, std::uint64_t start, std::uint64_t read) {
    ProcessRow row;
    row.pid = pid;
    row.parent_pid = 1;
    row.start_ticks = pid;
    row.start_monotonic_ns = start * kMs;
    row.update_monotonic_ns = (start + read) * kMs;
    row.user_ns = read * kMs;
    row.counts = {{read, read * kMs}};
    row.end = spool::End::kExit;
    row.source = spool::Source::kRing;
    profile_.events[0].weight += read * kMs;
    profile_.processes.push_back(row);
    return profile_.processes.back();
  }
  /// The wait of `waiter` for `pid` at `when` returned `user` of user time.
  void AddWait(std::uint32_t pid, std::uint32_t waiter, int status, std::uint64_t user,
               std::uint64_t when) {
    EvidenceOf(profile_.tree_evidence, 0)
        .ends.push_back({pid, waiter, status, user * kMs, 0, when * kMs});
  }
  void SetTree(std::uint64_t user) { profile_.tree = {true, "tree", 0, user * kMs, 0}; }
  Ledger Make() {
    ApplyChildEnds(profile_);
    Ledger ledger = MakeLedger(profile_);
    double sum = ledger.explained_seconds;
    for (const Remainder& row : ledger.remainders) sum += row.seconds;
    EXPECT_NEAR(sum, ledger.cpu_seconds, 1e-6);
    return ledger;
  }

  Profile profile_;
};

TEST_F(LedgerTest, CallsWhatNothingWasRecordedOfUnknown) {
  AddProcess(10, 0, 500);
  SetTree(900);
  const Ledger ledger = Make();
  EXPECT_DOUBLE_EQ(ledger.cpu_seconds, 0.9);
  EXPECT_DOUBLE_EQ(ledger.explained_seconds, 0.5);
  ASSERT_EQ(ledger.remainders.size(), 1u);
  EXPECT_EQ(ledger.remainders[0].cause, Cause::kUnknown);
  EXPECT_DOUBLE_EQ(ledger.unknown_seconds, 0.4);
}

TEST_F(LedgerTest, NamesAProgramThatWasRefusedAtExec) {
  AddProcess(10, 0, 500);
  AddWait(11, 10, Exited(0), 300, 400);
  SetTree(900);
  EXPECT_DOUBLE_EQ(Make().unknown_seconds, 0.4);
  EvidenceOf(profile_.tree_evidence, 0)
      .refused.push_back({11, spool::Refusal::kStatic, "/bin/busybox", 50 * kMs});
  const Ledger ledger = Make();
  EXPECT_DOUBLE_EQ(ledger.SecondsOf(Cause::kStatic), 0.3);
  EXPECT_NEAR(ledger.unknown_seconds, 0.1, 1e-9);
  EXPECT_EQ(WordsFor(ledger.remainders[0]), "in /bin/busybox, which is statically linked");
  EXPECT_EQ(ledger.processes, 2u);
  EXPECT_EQ(ledger.unprofiled_processes, 1u);
}

TEST_F(LedgerTest, TakesNoEvidenceOfALaterProcessWithTheSameNumber) {
  AddWait(11, 10, Exited(0), 300, 400);
  EvidenceOf(profile_.tree_evidence, 0)
      .refused.push_back({11, spool::Refusal::kStatic, "/bin/x", 500 * kMs});
  EXPECT_DOUBLE_EQ(Make().unknown_seconds, 0.3);
}

TEST_F(LedgerTest, AccountsForTheEndOfAProcessByTheWaitForIt) {
  AddProcess(10, 0, 500);
  AddWait(10, 0, Exited(0), 520, 700);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kAfterLastReading), 0.02, 1e-9);
  EXPECT_EQ(ledger.unknown_seconds, 0);
}

TEST_F(LedgerTest, AProcessUsesNoMoreAtItsEndThanTheTimeUntilTheWait) {
  AddProcess(10, 0, 500);
  // 30 ms behind the reading: 300 ms are not the process's own.
  AddWait(10, 0, Exited(0), 800, 530);
  EXPECT_NEAR(Make().SecondsOf(Cause::kAfterLastReading), 0.031, 1e-9);
  EXPECT_NEAR(Make().unknown_seconds, 0.269, 1e-9);
  profile_.processes[0].threads_seen = 4;
  EXPECT_NEAR(Make().SecondsOf(Cause::kAfterLastReading), 0.121, 1e-9);
}

TEST_F(LedgerTest, CountsChildrenOfAProcessWithoutAProfileOnce) {
  AddWait(12, 11, Exited(0), 400, 600);
  AddWait(11, 0, Exited(0), 700, 700);
  auto& evidence = EvidenceOf(profile_.tree_evidence, 0);
  evidence.left_out.push_back({11, spool::LeftOut::kSpoolRefused, EFBIG, "/bin/a", 0, 0, 50 * kMs});
  evidence.left_out.push_back({12, spool::LeftOut::kSpoolRefused, EFBIG, "/bin/a", 0, 0, 90 * kMs});
  SetTree(700);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.cpu_seconds, 0.7, 1e-9);
  ASSERT_EQ(ledger.remainders.size(), 1u);
  EXPECT_EQ(ledger.remainders[0].processes, 2u);
  EXPECT_EQ(
      WordsFor(ledger.remainders[0]),
      "in 2 processes of /bin/a whose spool could not be made (File too large, RLIMIT_FSIZE)");
}

TEST_F(LedgerTest, TakesChildrenOutOfTheWaitForTheirParent) {
  AddProcess(10, 0, 500);
  AddProcess(11, 100, 200).parent_pid = 10;
  AddWait(11, 10, Exited(0), 210, 400);
  AddWait(10, 0, Exited(0), 730, 700);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.cpu_seconds, 0.73, 1e-9);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kAfterLastReading), 0.03, 1e-9);
}

TEST_F(LedgerTest, SaysKilledOnlyByAWaitStatus) {
  AddProcess(10, 0, 500).state = ProcessState::kUnknown;
  SetTree(600);
  EXPECT_DOUBLE_EQ(Make().SecondsOf(Cause::kKilled), 0);
  AddWait(10, 0, SIGKILL, 600, 700);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kKilled), 0.1, 1e-9);
  EXPECT_THAT(WordsFor(ledger.remainders[0]), HasSubstr("before SIGKILL ended it"));
  EXPECT_EQ(profile_.processes[0].state, ProcessState::kKilled);
}

TEST_F(LedgerTest, SaysExitedByAWaitStatus) {
  AddProcess(10, 0, 500).state = ProcessState::kUnknown;
  AddWait(10, 0, Exited(3), 600, 700);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kExited), 0.1, 1e-9);
  EXPECT_THAT(WordsFor(ledger.remainders[0]), HasSubstr("an exit with status 3"));
}

TEST_F(LedgerTest, NamesASandboxThatWasEntered) {
  AddProcess(10, 0, 500).evidence.sandbox_monotonic_ns = 100 * kMs;
  AddWait(10, 0, Exited(0), 600, 700);
  EXPECT_NEAR(Make().SecondsOf(Cause::kSandbox), 0.1, 1e-9);
}

TEST_F(LedgerTest, CountsTheStartOfTheAgentToTheProfiler) {
  ProcessRow& row = AddProcess(10, 0, 500);
  row.start_user_ns = 3 * kMs;
  row.user_ns += 3 * kMs;
  row.evidence.start_agent_ns = 2 * kMs;
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kProfiler), 0.002, 1e-9);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kBeforeAgent), 0.001, 1e-9);
}

TEST_F(LedgerTest, CountsADaemonThatNobodyWaitedFor) {
  AddProcess(10, 0, 2);
  AddProcess(11, 10, 1000);
  SetTree(2);
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.user_seconds, 1.002, 1e-9);
  EXPECT_EQ(ledger.unknown_seconds, 0);
}

TEST_F(LedgerTest, CountsWhatOnlyTheInheritedCounterHas) {
  AddProcess(10, 0, 500);
  SetTree(500);
  profile_.tree.counted_ns = 800 * kMs;
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.cpu_seconds, 0.8, 1e-9);
  EXPECT_NEAR(ledger.undivided_seconds, 0.3, 1e-9);
  EXPECT_NEAR(ledger.unknown_seconds, 0.3, 1e-9);
}

TEST_F(LedgerTest, NamesProcessesThatRecordedWhyTheyHaveNoSamples) {
  AddProcess(10, 0, 500);
  AddWait(11, 10, Exited(0), 300, 400);
  AddWait(12, 10, Exited(0), 200, 401);
  auto& left_out = EvidenceOf(profile_.tree_evidence, 0).left_out;
  left_out.push_back({11, spool::LeftOut::kExcluded, 0, "/bin/cc1", 0, 0, 50 * kMs});
  left_out.push_back({12, spool::LeftOut::kSpoolRefused, ENOSPC, "/bin/as", 0, 0, 50 * kMs});
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kExcluded), 0.3, 1e-9);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kSpoolRefused), 0.2, 1e-9);
  EXPECT_THAT(WordsFor(ledger.remainders[1]), HasSubstr("No space left on device"));
}

TEST_F(LedgerTest, NeverTakesMoreThanIsLeft) {
  ProcessRow& row = AddProcess(10, 0, 500);
  row.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)] = 126 * kMs;
  const Ledger ledger = Make();
  EXPECT_DOUBLE_EQ(ledger.explained_seconds, 0.5);
  EXPECT_TRUE(ledger.remainders.empty());
}

TEST_F(LedgerTest, DividesWhatIsNotSampledByRecordedLosses) {
  ProcessRow& row = AddProcess(10, 0, 500);
  row.user_ns += 200 * kMs;
  row.lost_ns[static_cast<std::size_t>(spool::Loss::kNoRing)] = 126 * kMs;
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kNoRing), 0.126, 1e-9);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kUnknown, Where::kSampled), 0.074, 1e-9);
}

TEST_F(LedgerTest, CountsImagesOfOneProcessOnce) {
  ProcessRow& first = AddProcess(10, 0, 100);
  first.end = spool::End::kExec;
  ProcessRow& second = AddProcess(10, 200, 300);
  second.generation = 1;
  second.start_user_ns = 130 * kMs;
  second.user_ns = 430 * kMs;
  const Ledger ledger = Make();
  EXPECT_EQ(ledger.processes, 1u);
  EXPECT_NEAR(ledger.cpu_seconds, 0.43, 1e-9);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kBeforeAgent), 0.03, 1e-9);
}

TEST_F(LedgerTest, NamesAProcessWithFewSamples) {
  ProcessRow& row = AddProcess(10, 0, 9);
  row.user_ns += 40 * kMs;
  const Ledger ledger = Make();
  EXPECT_NEAR(ledger.SecondsOf(Cause::kFewSamples), 0.04, 1e-9);
}

TEST_F(LedgerTest, DoesNotCompareSamplesOfOtherEventsWithTime) {
  AddProcess(10, 0, 500);
  profile_.events[0].kind = EventClass::kCycles;
  const Ledger ledger = Make();
  EXPECT_FALSE(ledger.has_clock);
  EXPECT_NEAR(ledger.SecondsOf(Cause::kNotCompared), 0.5, 1e-9);
  EXPECT_EQ(ledger.unknown_seconds, 0);
}

TEST_F(LedgerTest, KeepsSystemTimeThatWasNotAskedForApart) {
  AddProcess(10, 0, 500).system_ns = 70 * kMs;
  EXPECT_NEAR(Make().SecondsOf(Cause::kSystemTime), 0.07, 1e-9);
}

}  // namespace
}  // namespace csink::report

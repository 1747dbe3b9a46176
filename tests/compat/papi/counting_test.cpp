#include <thread>

#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

using Counting = PapiTest;

TEST_F(Counting, NeedsABoundSetAndAnArray) {
  const int set = SetOf({});
  long long value = 0;
  EXPECT_EQ(PAPI_start(set), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_ENOCMP);
  EXPECT_EQ(PAPI_read(set, &value), PAPI_ENOCMP);
  ASSERT_EQ(PAPI_add_event(set, PAPI_TOT_CYC), PAPI_OK);
  EXPECT_EQ(PAPI_read(set, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_accum(set, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_write(set, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_read_ts(set, &value, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_state(set, nullptr), PAPI_EINVAL);
}

TEST_F(Counting, StartsStopsAndKeepsTheLastValues) {
  const int set = SetOf({"perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_ENOTRUN);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_RUNNING);
  EXPECT_EQ(PAPI_start(set), PAPI_EISRUN);
  Burn(3);
  Touch(10);
  long long stopped[2], read[2];
  ASSERT_EQ(PAPI_stop(set, stopped), PAPI_OK);
  EXPECT_GE(stopped[0], 3'000'000);
  EXPECT_GE(stopped[1], 10);
  ASSERT_EQ(PAPI_read(set, read), PAPI_OK);
  EXPECT_EQ(read[0], stopped[0]);
  EXPECT_EQ(read[1], stopped[1]);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  ASSERT_EQ(PAPI_stop(set, read), PAPI_OK);
  EXPECT_LT(read[0], stopped[0]) << "start begins from zero";
}

TEST_F(Counting, OneSetOfAComponentRunsOnAThread) {
  const int first = SetOf({"perf::TASK-CLOCK"});
  const int second = SetOf({"perf::CPU-CLOCK"});
  ASSERT_EQ(PAPI_start(first), PAPI_OK);
  EXPECT_EQ(PAPI_start(second), PAPI_EISRUN);
  EXPECT_EQ(StateOf(second), PAPI_STOPPED);
  ASSERT_EQ(PAPI_stop(first, nullptr), PAPI_OK);
  EXPECT_EQ(PAPI_start(second), PAPI_OK);
  EXPECT_EQ(PAPI_stop(second, nullptr), PAPI_OK);
}

TEST_F(Counting, AccumAddsAndStartsFromZero) {
  const int set = SetOf({"perf::PAGE-FAULTS", "PAPI_BR_MSP"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Touch(100);
  long long values[2] = {-1'000'000, 5};
  ASSERT_EQ(PAPI_accum(set, values), PAPI_OK);
  EXPECT_GE(values[0], -1'000'000 + 100);
  EXPECT_EQ(values[1] - 5, 2 * (values[0] + 1'000'000));
  long long now[2];
  ASSERT_EQ(PAPI_read(set, now), PAPI_OK);
  EXPECT_LT(now[0], 50);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  values[0] = values[1] = 0;
  ASSERT_EQ(PAPI_accum(set, values), PAPI_OK) << "also of a stopped set";
  ASSERT_EQ(PAPI_read(set, now), PAPI_OK);
  EXPECT_EQ(now[0], 0);
}

TEST_F(Counting, ResetOfAStoppedSetGivesExactlyZero) {
  const int set = SetOf({"perf::TASK-CLOCK", "PAPI_BR_CN"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(1);
  ASSERT_EQ(PAPI_reset(set), PAPI_OK);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  ASSERT_EQ(PAPI_reset(set), PAPI_OK);
  long long values[2] = {1, 1};
  ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 0);
}

TEST_F(Counting, WriteSetsTheVirtualCounters) {
  const int set = SetOf({"perf::PAGE-FAULTS"});
  long long value = 1LL << 40;
  ASSERT_EQ(PAPI_write(set, &value), PAPI_OK);
  long long now = 0;
  ASSERT_EQ(PAPI_read(set, &now), PAPI_OK);
  EXPECT_EQ(now, value);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  ASSERT_EQ(PAPI_write(set, &value), PAPI_OK);
  Touch(10);
  ASSERT_EQ(PAPI_stop(set, &now), PAPI_OK);
  EXPECT_GE(now, value + 10);
  EXPECT_LT(now, value + 1000);
}

TEST_F(Counting, WriteOfADerivedEventIsRefusedWhole) {
  const int set = SetOf({"perf::PAGE-FAULTS", "PAPI_BR_MSP"});
  long long values[2] = {7, 7};
  EXPECT_EQ(PAPI_write(set, values), PAPI_ENOSUPP);
  ASSERT_EQ(PAPI_read(set, values), PAPI_OK);
  EXPECT_EQ(values[0], 0);
}

// Every call must write its results: a set in a forked child has no counters until its next start.
TEST_F(Counting, ASetInAForkedChildReadsZeroUntilItStarts) {
  for (const bool runs : {true, false}) {
    const int set = SetOf({"perf::TASK-CLOCK", "PAPI_BR_CN", "PAPI_BR_MSP"});
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    Burn(2);
    if (!runs) {
      ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    }
    EXPECT_EQ(InChild([set] {
                long long values[3] = {-1, -1, -1};
                long long cycles = -1;
                const auto are = [&values](long long value) {
                  return values[0] == value && values[1] == value && values[2] == value;
                };
                if (PAPI_read(set, values) != PAPI_OK || !are(0)) return 1;
                values[0] = values[1] = values[2] = 7;
                if (PAPI_accum(set, values) != PAPI_OK || !are(7)) return 2;
                if (PAPI_read_ts(set, values, &cycles) != PAPI_OK || !are(0) || cycles < 0)
                  return 3;
                values[0] = 7;
                if (PAPI_reset(set) != PAPI_OK || PAPI_read(set, values) != PAPI_OK || !are(0)) {
                  return 4;
                }
                if (PAPI_start(set) != PAPI_OK) return 5;
                Burn(1);
                if (PAPI_stop(set, values) != PAPI_OK || values[0] < 1'000'000) return 6;
                return 0;
              }),
              0)
        << "running: " << runs;
    if (runs) {
      ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    }
    int handle = set;
    ASSERT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
    ASSERT_EQ(PAPI_destroy_eventset(&handle), PAPI_OK);
  }
}

TEST_F(Counting, AWriteInAForkedChildIsWhereTheNextStartBegins) {
  const int set = SetOf({"perf::PAGE-FAULTS"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(InChild([set] {
              long long value = 1LL << 40;
              if (PAPI_write(set, &value) != PAPI_OK) return 1;
              long long now = 0;
              if (PAPI_read(set, &now) != PAPI_OK || now != value) return 2;
              if (PAPI_start(set) != PAPI_OK) return 3;
              Touch(10);
              if (PAPI_stop(set, &now) != PAPI_OK || now < value + 10) return 4;
              return 0;
            }),
            0);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Counting, ReadTsGivesTheCyclesOfTheRead) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  long long value = 0, cycles = 0;
  const long long before = PAPI_get_real_cyc();
  ASSERT_EQ(PAPI_read_ts(set, &value, &cycles), PAPI_OK);
  const long long after = PAPI_get_real_cyc();
  EXPECT_GE(cycles, before);
  EXPECT_LE(cycles, after);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Counting, AnotherThreadMayStartTheSetAndIsCounted) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  long long value = 0;
  std::thread([&] {
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    Burn(6);  // the two clocks differ by a little
    EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
  }).join();
  EXPECT_GE(value, 5'000'000);
}

TEST_F(Counting, ASetWhoseThreadHasGoneCanBeReadAndStopped) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  std::thread([&] {
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    Burn(3);
  }).join();
  EXPECT_EQ(StateOf(set), PAPI_RUNNING);
  long long value = 0;
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GE(value, 3'000'000);
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

}  // namespace
}  // namespace papi_test

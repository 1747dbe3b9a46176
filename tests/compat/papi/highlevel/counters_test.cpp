#include <sys/wait.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/compat/papi/highlevel/high_level_fixture.h"

namespace papi_test {
namespace {

using StartedCounters = HighLevelTest;

constexpr int kClockAndFaults[] = {PAPI_TOT_CYC, PAPI_L1_TCM};

int Start(std::initializer_list<int> events) {
  std::vector<int> list = events;
  return PAPI_start_counters(list.data(), static_cast<int>(list.size()));
}

TEST_F(StartedCounters, InitialiseTheLibrary) {
  EXPECT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
  EXPECT_GT(PAPI_num_counters(), 0);
  EXPECT_EQ(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED);
  EXPECT_EQ(PAPI_num_counters(), PAPI_num_hwctrs());
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED | PAPI_LOW_LEVEL_INITED);
}

int Define(const char* name, const char* native, int* code) {
  PAPI_event_info_t info = {};
  info.event_code = static_cast<unsigned>(PAPI_PRESET_MASK);
  std::strcpy(info.symbol, name);
  std::strcpy(info.derived, "NOT_DERIVED");
  std::strcpy(info.name[0], native);
  return PAPI_set_event_info(&info, code, 1);
}

// The program has no event set that it could take the event out of.
TEST_F(StartedCounters, LetTheirEventsBeDefinedAnewOnceTheyAreStopped) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  int code = 0;
  ASSERT_EQ(Define("U", "perf::PAGE-FAULTS", &code), PAPI_OK);
  ASSERT_EQ(Start({code}), PAPI_OK);
  EXPECT_EQ(Define("U", "perf::CPU-CLOCK", &code), PAPI_EISRUN);
  long long value = 0;
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
  ASSERT_EQ(Start({code}), PAPI_OK);
  EXPECT_EQ(Define("U", "perf::CPU-CLOCK", &code), PAPI_EISRUN) << "started again, opening nothing";
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
  EXPECT_EQ(Define("U", "perf::CPU-CLOCK", &code), PAPI_OK);
  ASSERT_EQ(Start({code}), PAPI_OK);
  Burn(3);
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
  EXPECT_GE(value, 3 * kClockOfMs) << "what it is now";
}

TEST_F(StartedCounters, CountFromTheStart) {
  ASSERT_EQ(Start({PAPI_TOT_CYC, PAPI_L1_TCM}), PAPI_OK);
  EXPECT_EQ(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED);
  Burn(3);
  Touch(100);
  long long values[2] = {};
  ASSERT_EQ(PAPI_stop_counters(values, 2), PAPI_OK);
  EXPECT_GE(values[0], 3 * kClockOfMs);
  EXPECT_GE(values[1], 100);
  ASSERT_EQ(Start({PAPI_TOT_CYC, PAPI_L1_TCM}), PAPI_OK);
  long long again[2] = {};
  ASSERT_EQ(PAPI_stop_counters(again, 2), PAPI_OK);
  EXPECT_LT(again[0], values[0]);
  EXPECT_LT(again[1], kOtherFaults);
}

TEST_F(StartedCounters, AreReadAndBeginAnewWithoutLoss) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  long long sum = 0;
  for (int i = 0; i < 20; ++i) {
    Touch(50);
    long long value = -1;
    ASSERT_EQ(PAPI_read_counters(&value, 1), PAPI_OK);
    EXPECT_GE(value, 50);
    EXPECT_LT(value, 50 + kOtherFaults) << "it began anew";
    sum += value;
  }
  long long rest = -1;
  ASSERT_EQ(PAPI_stop_counters(&rest, 1), PAPI_OK);
  EXPECT_GE(sum + rest, 1000);
  EXPECT_LT(rest, kOtherFaults);
}

TEST_F(StartedCounters, AreAddedToWhatIsThere) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  Touch(100);
  long long value = -100;
  ASSERT_EQ(PAPI_accum_counters(&value, 1), PAPI_OK);
  EXPECT_GE(value, 0);
  const long long before = value;
  Touch(100);
  ASSERT_EQ(PAPI_accum_counters(&value, 1), PAPI_OK);
  EXPECT_GE(value, before + 100);
  EXPECT_LT(value, before + 100 + kOtherFaults) << "the counts of before are added once";
  ASSERT_EQ(PAPI_stop_counters(nullptr, 1), PAPI_OK);
}

TEST_F(StartedCounters, AreStartedOnce) {
  long long values[2] = {7, 7};
  EXPECT_EQ(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
  EXPECT_EQ(PAPI_read_counters(values, 2), PAPI_EINVAL);
  EXPECT_EQ(PAPI_accum_counters(values, 2), PAPI_EINVAL);
  ASSERT_EQ(Start({PAPI_TOT_CYC}), PAPI_OK);
  EXPECT_EQ(Start({PAPI_TOT_CYC}), PAPI_EISRUN);
  EXPECT_EQ(Start({PAPI_L1_TCM}), PAPI_EISRUN);
  ASSERT_EQ(PAPI_stop_counters(values, 2), PAPI_OK);
  EXPECT_EQ(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
  EXPECT_EQ(values[1], 7) << "one event has one value";
}

TEST_F(StartedCounters, RefuseArraysThatAreTooShort) {
  std::vector<int> events(std::begin(kClockAndFaults), std::end(kClockAndFaults));
  EXPECT_EQ(PAPI_start_counters(nullptr, 2), PAPI_EINVAL);
  EXPECT_EQ(PAPI_start_counters(events.data(), 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_start_counters(events.data(), -1), PAPI_EINVAL);
  ASSERT_EQ(PAPI_start_counters(events.data(), 2), PAPI_OK);
  long long values[2] = {7, 7};
  for (const int length : {1, 0, -1}) {
    EXPECT_EQ(PAPI_read_counters(values, length), PAPI_EINVAL);
    EXPECT_EQ(PAPI_accum_counters(values, length), PAPI_EINVAL);
    EXPECT_EQ(PAPI_stop_counters(values, length), PAPI_EINVAL);
  }
  EXPECT_EQ(PAPI_read_counters(nullptr, 2), PAPI_EINVAL);
  EXPECT_EQ(PAPI_accum_counters(nullptr, 2), PAPI_EINVAL);
  EXPECT_EQ(values[0], 7);
  Burn(1);
  ASSERT_EQ(PAPI_stop_counters(values, 2), PAPI_OK) << "they ran on";
  EXPECT_GE(values[0], kClockOfMs);
}

TEST_F(StartedCounters, KeepNothingOfAStartThatFails) {
  EXPECT_EQ(Start({PAPI_TOT_CYC, PAPI_VEC_INS}), PAPI_ENOEVNT);
  EXPECT_EQ(Start({PAPI_TOT_CYC, PAPI_TOT_CYC}), PAPI_ECNFLCT);
  EXPECT_EQ(Start({4711}), PAPI_EINVAL);
  EXPECT_EQ(PAPI_stop_counters(nullptr, 0), PAPI_ENOTRUN);
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  EXPECT_EQ(PAPI_stop_counters(nullptr, 1), PAPI_OK);
}

TEST_F(StartedCounters, ShareTheThreadWithEventSets) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  const int set = SetOf({"perf::TASK-CLOCK"});
  EXPECT_EQ(PAPI_start(set), PAPI_EISRUN);
  long long value = 0;
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(Start({PAPI_L1_TCM}), PAPI_EISRUN);
  EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
}

TEST_F(StartedCounters, FollowTheDomainOfTheirStart) {
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  ASSERT_EQ(PAPI_stop_counters(nullptr, 1), PAPI_OK);
  ASSERT_EQ(PAPI_set_domain(PAPI_DOM_KERNEL), PAPI_OK);
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  Touch(100);
  long long faults = -1;
  ASSERT_EQ(PAPI_stop_counters(&faults, 1), PAPI_OK);
  EXPECT_LT(faults, kOtherFaults) << "faults of user mode";
}

TEST_F(StartedCounters, AreEachThreadsOwn) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) {
    threads.emplace_back([i] {
      for (int round = 0; round < 20; ++round) {
        long long value = -1;
        EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
        EXPECT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
        Touch(100 * i);
        EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
        EXPECT_GE(value, 100 * i);
        EXPECT_LT(value, 100 * i + kOtherFaults) << "no other thread's";
      }
      EXPECT_EQ(Start({PAPI_L1_TCM}), PAPI_OK) << "and ends while they count";
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(PAPI_stop_counters(nullptr, 1), PAPI_OK);
}

TEST_F(StartedCounters, ComeBackAfterAShutdown) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  PAPI_shutdown();
  EXPECT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
  long long value = 0;
  EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  Touch(100);
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
  EXPECT_GE(value, 100);
}

TEST_F(StartedCounters, AreStoppedInAForkedChild) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  const pid_t child = fork();
  if (child == 0) {
    long long value = -1;
    if (PAPI_stop_counters(&value, 1) != PAPI_ENOTRUN) _exit(1);
    if (Start({PAPI_L1_TCM}) != PAPI_OK) _exit(2);
    Touch(100);
    if (PAPI_stop_counters(&value, 1) != PAPI_OK || value < 100) _exit(3);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Touch(100);
  long long value = -1;
  ASSERT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK) << "the parent's count on";
  EXPECT_GE(value, 100);
}

TEST_F(StartedCounters, GiveTheirHandleToNobody) {
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  ASSERT_EQ(PAPI_stop_counters(nullptr, 1), PAPI_OK);
  // A program that destroys a handle which it never made takes it away, and no more.
  int handle = 0;
  ASSERT_EQ(PAPI_cleanup_eventset(handle), PAPI_OK);
  ASSERT_EQ(PAPI_destroy_eventset(&handle), PAPI_OK);
  long long value = -1;
  ASSERT_EQ(Start({PAPI_L1_TCM}), PAPI_OK);
  EXPECT_EQ(PAPI_stop_counters(&value, 1), PAPI_OK);
}

}  // namespace
}  // namespace papi_test

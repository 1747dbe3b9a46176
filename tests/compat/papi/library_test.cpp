#include <fcntl.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

TEST(BeforeInit, EveryCallThatNeedsTheLibrarySaysSo) {
  int number = 1;
  int set = PAPI_NULL;
  long long values[4];
  void* pointer = nullptr;
  EXPECT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
  EXPECT_EQ(PAPI_create_eventset(&set), PAPI_ENOINIT);
  EXPECT_EQ(set, PAPI_NULL);
  for (const int code :
       {PAPI_start(0), PAPI_stop(0, values), PAPI_read(0, values), PAPI_accum(0, values),
        PAPI_reset(0), PAPI_write(0, values), PAPI_state(0, &number), PAPI_num_events(0),
        PAPI_add_event(0, PAPI_TOT_CYC), PAPI_remove_event(0, PAPI_TOT_CYC), PAPI_attach(0, 1),
        PAPI_cleanup_eventset(0), PAPI_query_event(PAPI_TOT_CYC), PAPI_register_thread(),
        PAPI_event_name_to_code("x", &number), PAPI_get_thr_specific(0, &pointer),
        PAPI_set_domain(PAPI_DOM_USER), PAPI_list_threads(nullptr, &number)}) {
    EXPECT_EQ(code, PAPI_ENOINIT);
  }
  EXPECT_EQ(PAPI_num_hwctrs(), 0);
  EXPECT_EQ(PAPI_get_opt(PAPI_LIB_VERSION, nullptr), PAPI_VERSION);
  EXPECT_EQ(PAPI_set_debug(PAPI_QUIET), PAPI_OK);
}

TEST(Init, TakesExactlyItsOwnVersion) {
  for (const int version : {0, 1, 0x07000001, 0x07010000, 0x03050000, -1}) {
    EXPECT_EQ(PAPI_library_init(version), PAPI_EINVAL) << std::hex << version;
  }
  EXPECT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
  EXPECT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  EXPECT_EQ(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED);
  PAPI_shutdown();
  EXPECT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
}

using Shutdown = PapiTest;

/// What a thread does with sets until PAPI_shutdown, on another thread, ends the library.
enum class Work { kStartAndStop, kWholeLife, kAddAndClean };

/// One round of `work`. False: the library has ended.
bool WorkOnce(Work work, int set) {
  long long value = 0;
  if (work == Work::kStartAndStop) {
    const bool started = PAPI_start(set) == PAPI_OK;
    return PAPI_stop(set, &value) == PAPI_OK && started;
  }
  int own = set;
  if (work == Work::kWholeLife) {
    own = PAPI_NULL;
    if (PAPI_create_eventset(&own) != PAPI_OK) return false;
  } else {
    PAPI_cleanup_eventset(own);
  }
  bool whole = PAPI_add_named_event(own, "perf::PAGE-FAULTS") == PAPI_OK;
  whole = PAPI_start(own) == PAPI_OK && PAPI_stop(own, &value) == PAPI_OK && whole;
  if (work == Work::kWholeLife) {
    whole =
        PAPI_cleanup_eventset(own) == PAPI_OK && PAPI_destroy_eventset(&own) == PAPI_OK && whole;
  }
  return whole;
}

TEST_F(Shutdown, WaitsForTheCallsOfOtherThreads) {
  for (const Work work : {Work::kStartAndStop, Work::kWholeLife, Work::kAddAndClean}) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> at_work{0};
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&at_work, work] {
          const int set = SetOf({"perf::CPU-CLOCK"});
          bool announced = false;
          while (WorkOnce(work, set)) {
            if (!std::exchange(announced, true)) ++at_work;
          }
          // The handle is not known any more, by each call.
          int state = 0;
          EXPECT_EQ(PAPI_state(set, &state), PAPI_ENOINIT);
        });
      }
      while (at_work < 4) std::this_thread::yield();
      PAPI_shutdown();
      for (std::thread& thread : threads) thread.join();
      ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
      EXPECT_EQ(SetOf({"perf::CPU-CLOCK"}), 0) << "no set is left";
    }
  }
}

TEST_F(Shutdown, EndsRunningSetsAndTheLibraryStartsAgain) {
  for (int round = 0; round < 3; ++round) {
    const int set = SetOf({"perf::TASK-CLOCK"});
    EXPECT_EQ(set, 0);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    PAPI_shutdown();
    long long value = 0;
    EXPECT_EQ(PAPI_read(set, &value), PAPI_ENOINIT);
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    EXPECT_EQ(PAPI_read(set, &value), PAPI_ENOEVST);
  }
}

using Fork = PapiTest;

TEST_F(Fork, TheChildHasTheSetStoppedAndStartsItForItself) {
  const int set = SetOf({"perf::TASK-CLOCK", "PAPI_BR_CN"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(21);  // the event's clock and the thread's differ a little
  const int answer = InChild([&] {
    long long values[2] = {-1, -1};
    if (StateOf(set) != PAPI_STOPPED || PAPI_num_events(set) != 2) return 1;
    if (PAPI_start(set) != PAPI_OK) return 2;
    Burn(5);
    if (PAPI_stop(set, values) != PAPI_OK) return 3;
    if (values[0] < 1'000'000 || values[0] > 15'000'000) return 4;
    return 0;
  });
  EXPECT_EQ(answer, 0);
  long long values[2];
  EXPECT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_GE(values[0], 20'000'000) << "the child stopped the parent's counters";
}

TEST_F(Fork, InitInTheChildBeginsFromNothing) {
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  const int answer = InChild([&] {
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
    if (PAPI_num_events(set) != PAPI_ENOEVST) return 2;
    int own = PAPI_NULL;
    if (PAPI_create_eventset(&own) != PAPI_OK || own != 0) return 3;
    if (PAPI_add_named_event(own, "perf::TASK-CLOCK") != PAPI_OK) return 4;
    long long value = 0;
    if (PAPI_start(own) != PAPI_OK || PAPI_stop(own, &value) != PAPI_OK) return 5;
    PAPI_shutdown();
    return PAPI_is_initialized();
  });
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Fork, LeavesNoDescriptorOfTheParentInTheChild) {
  const auto descriptors = [] {
    int open = 0;
    for (int fd = 0; fd < 256; ++fd) open += fcntl(fd, F_GETFD) != -1;
    return open;
  };
  const int before = descriptors();
  const int set = SetOf({"perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
  const int with_set = descriptors();
  ASSERT_GT(with_set, before);
  EXPECT_LT(InChild(descriptors), with_set);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
}

}  // namespace
}  // namespace papi_test

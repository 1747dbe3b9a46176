#include <signal.h>

#include <atomic>
#include <thread>

#include "compat/papi/include/csink_papi.h"
#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

struct Seen {
  std::atomic<long> hits{0};
  std::atomic<long long> vectors{0};
  std::atomic<int> set{-1};
  std::atomic<bool> in_thread{true};
  std::atomic<bool> with_context{true};
  std::atomic<int> read_code{-100};
  pthread_t thread = {};
};
Seen g_seen;

void Reset() {
  g_seen.hits = 0;
  g_seen.vectors = 0;
  g_seen.set = -1;
  g_seen.in_thread = g_seen.with_context = true;
  g_seen.read_code = -100;
  g_seen.thread = pthread_self();
}

void Note(int set, void* address, long long vector, void* context) {
  ++g_seen.hits;
  g_seen.vectors |= vector;
  g_seen.set = set;
  if (!pthread_equal(g_seen.thread, pthread_self())) g_seen.in_thread = false;
  if (address == nullptr || context == nullptr) g_seen.with_context = false;
}

void NoteAndRead(int set, void* address, long long vector, void* context) {
  Note(set, address, vector, context);
  long long values[2] = {};
  const int code = PAPI_read(set, values);
  g_seen.read_code = code == PAPI_OK && values[0] <= 0 ? 1 : code;
}

using Overflow = PapiTest;

TEST_F(Overflow, CallsTheHandlerOncePerThreshold) {
  Reset();
  const int set = SetOf({"perf::PAGE-FAULTS", "perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, 0, Note), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED | PAPI_OVERFLOWING);
  long long values[2];
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(60);
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  const long expected = static_cast<long>(values[1] / 1'000'000);
  EXPECT_GT(g_seen.hits, expected / 2);
  EXPECT_LE(g_seen.hits, expected + 1);
  EXPECT_EQ(g_seen.vectors, 2) << "the second native of the set";
  EXPECT_EQ(g_seen.set, set);
  EXPECT_TRUE(g_seen.in_thread);
  EXPECT_TRUE(g_seen.with_context);
  const long hits = g_seen.hits;
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 0, 0, nullptr), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(5);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_EQ(g_seen.hits, hits);
}

TEST_F(Overflow, TheHandlerMayReadItsSet) {
  Reset();
  const int set = SetOf({"PAPI_TOT_CYC", "PAPI_BR_CN"});
  ASSERT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 1'000'000, 0, NoteAndRead), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(30);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_GT(g_seen.hits, 2);  // of some 30; under valgrind on a busy machine few are left
  EXPECT_EQ(g_seen.read_code, PAPI_OK);
}

TEST_F(Overflow, RefusesWhatItCannotDo) {
  const int set = SetOf({});
  EXPECT_EQ(PAPI_overflow(99, PAPI_TOT_CYC, 1000, 0, Note), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 1000, 0, Note), PAPI_ENOCMP);
  ASSERT_EQ(PAPI_add_event(set, PAPI_TOT_CYC), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, PAPI_BR_CN), PAPI_OK);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, -1, 0, Note), PAPI_EINVAL);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 0, 0, Note), PAPI_EINVAL) << "nothing to stop";
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 1000000, 0, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 1000000, 0xff00, Note), PAPI_EINVAL);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_INS, 1000000, 0, Note), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_overflow(set, PAPI_BR_CN, 1000000, 0, Note), PAPI_EINVAL) << "derived";
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
  ASSERT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 1000000, 0, Note), PAPI_OK);
  EXPECT_EQ(PAPI_overflow(set, PAPI_BR_CN, 1000000, PAPI_OVERFLOW_FORCE_SW, Note), PAPI_ECNFLCT);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_overflow(set, PAPI_TOT_CYC, 2000000, 0, Note), PAPI_EISRUN);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Overflow, ByForcedSoftwareTakesADerivedEvent) {
  Reset();
  const int set = SetOf({"PAPI_L1_TCM", "PAPI_BR_CN"});
  ASSERT_EQ(PAPI_overflow(set, PAPI_BR_CN, 10'000'000, PAPI_OVERFLOW_FORCE_SW, Note), PAPI_OK);
  long long values[2] = {};
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(100);
  for (int i = 0; i < 50 && g_seen.hits < 2; ++i) Burn(20);  // ticks are rare on a busy machine
  ASSERT_EQ(PAPI_stop(set, values), PAPI_OK);
  EXPECT_GE(g_seen.hits, 2);
  EXPECT_LE(g_seen.hits, values[1] / 10'000'000);
}

TEST_F(Overflow, CleanupWhileArmedEndsItAndEventsMayJoin) {
  Reset();
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, 0, Note), PAPI_OK);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(10);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_GT(g_seen.hits, 2);
  ASSERT_EQ(PAPI_remove_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, 0, Note), PAPI_OK);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(StateOf(set), PAPI_STOPPED);
}

TEST_F(Overflow, FollowsTheThreadThatStartsTheSet) {
  Reset();
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, 0, Note), PAPI_OK);
  std::thread([&] {
    g_seen.thread = pthread_self();
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    Burn(20);
    EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  }).join();
  EXPECT_GT(g_seen.hits, 2);  // of some 20; under valgrind on a busy machine few are left
  EXPECT_TRUE(g_seen.in_thread);
}

TEST_F(Overflow, RestoresTheDispositionsItTook) {
  struct sigaction before[NSIG], now;
  for (int s = 1; s < NSIG; ++s) sigaction(s, nullptr, &before[s]);
  const int set = SetOf({"perf::TASK-CLOCK"});
  ASSERT_EQ(PAPI_overflow(set, CodeOf("perf::TASK-CLOCK"), 1'000'000, 0, Note), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(3);
  PAPI_shutdown();
  for (int s = 1; s < NSIG; ++s) {
    if (sigaction(s, nullptr, &now) != 0) continue;
    EXPECT_EQ(now.sa_handler, before[s].sa_handler) << s;
  }
}

using OverflowIndex = PapiTest;

TEST_F(OverflowIndex, MapsBitsToEvents) {
  const int set = SetOf({});
  int index[4] = {-1, -1, -1, -1};
  int number = 4;
  EXPECT_EQ(PAPI_get_overflow_event_index(set, 1, index, &number), PAPI_EINVAL) << "empty";
  for (const int event : {PAPI_L1_TCM, PAPI_TOT_CYC, PAPI_BR_CN}) {
    ASSERT_EQ(PAPI_add_event(set, event), PAPI_OK);
  }
  ASSERT_EQ(PAPI_get_overflow_event_index(set, 2, index, &number), PAPI_OK);
  EXPECT_EQ(number, 2) << "two events use the counter of CPU-CLOCK";
  EXPECT_EQ(index[0], 1);
  EXPECT_EQ(index[1], 2);
  number = 1;
  ASSERT_EQ(PAPI_get_overflow_event_index(set, 3, index, &number), PAPI_OK);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(index[0], 0);
  number = 0;
  EXPECT_EQ(PAPI_get_overflow_event_index(set, 1, index, &number), PAPI_EINVAL);
  number = 4;
  EXPECT_EQ(PAPI_get_overflow_event_index(set, 0, index, &number), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_overflow_event_index(set, 1, nullptr, &number), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_overflow_event_index(set, 1, index, nullptr), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_overflow_event_index(99, 1, index, &number), PAPI_ENOEVST);
}

struct MissedSeen {
  long calls = 0;
  long long missed = 0;
  int codes = PAPI_OK;
};
MissedSeen g_missed;

void NoteMissed(int set, void*, long long, void*) {
  csink_papi_overflow_info_t info = {};
  g_missed.codes |= csink_papi_overflow_info(set, &info);
  g_missed.missed += info.missed;
  ++g_missed.calls;
}

/// Forced software overflow: runs `work` between start and stop; the count of the set's clock.
template <class F>
long long RunBySoftware(int set, F work) {
  g_missed = {};
  long long value = 0;
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  work();
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
  return value;
}

class SoftwareOverflow : public PapiTest {
 protected:
  void SetUp() override {
    PapiTest::SetUp();
    set_ = SetOf({"perf::TASK-CLOCK"});
    ASSERT_EQ(PAPI_overflow(set_, CodeOf("perf::TASK-CLOCK"), 1'000'000, PAPI_OVERFLOW_FORCE_SW,
                            NoteMissed),
              PAPI_OK);
  }
  int set_ = PAPI_NULL;
};

TEST_F(SoftwareOverflow, TellsHowManyMultiplesWereMissed) {
  const long long value = RunBySoftware(set_, [] { Burn(200); });
  const long long told = g_missed.calls + g_missed.missed;
  EXPECT_EQ(g_missed.codes, PAPI_OK);
  EXPECT_GT(g_missed.missed, 0) << "a tick comes less often than every millisecond";
  EXPECT_LE(told, value / 1'000'000);
  EXPECT_GT(told, value / 1'000'000 * 3 / 4);
  csink_papi_overflow_info_t info = {};
  ASSERT_EQ(csink_papi_overflow_info(set_, &info), PAPI_OK);
  EXPECT_EQ(info.calls, g_missed.calls);
  EXPECT_EQ(info.missed_by_all, g_missed.missed);
  EXPECT_EQ(info.flags, PAPI_OVERFLOW_FORCE_SW);
  EXPECT_EQ(csink_papi_overflow_info(99, &info), PAPI_ENOEVST);
}

TEST_F(SoftwareOverflow, WrittenCountsAreNoOverflows) {
  const int set = set_;
  const long long value = RunBySoftware(set, [set] {
    long long large = 1'000'000'000'000;
    Burn(20);
    EXPECT_EQ(PAPI_write(set, &large), PAPI_OK);
    Burn(60);
  });
  EXPECT_GT(value, 1'000'000'000'000);
  EXPECT_GT(g_missed.calls, 0);
  EXPECT_LT(g_missed.calls + g_missed.missed, 1000);
}

TEST_F(SoftwareOverflow, GoesOnAfterAReset) {
  const int set = set_;
  long before = 0;
  RunBySoftware(set, [&] {
    Burn(60);
    before = g_missed.calls;
    EXPECT_EQ(PAPI_reset(set), PAPI_OK);
    Burn(60);
  });
  EXPECT_GT(before, 0);
  EXPECT_GT(g_missed.calls, before);
}

}  // namespace
}  // namespace papi_test

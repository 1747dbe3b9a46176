// Timers: their states, what they measure, and devices that fail or never answer.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "apapi_fixture.h"

namespace {

class Timer : public ApapiTest {};

long long MillisecondsNow() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

TEST_F(Timer, RefusesEachCallInTheWrongState) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(MakeTimer(kHour), PAPI_OK);
  const auto reset = [&] { return APAPI_reset_timer(timer_, 1, 0, nullptr, nullptr, nullptr); };
  const auto change = [&] { return APAPI_change_timer(timer_, kHour, 0, nullptr, nullptr, set_); };
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_READY);
  for (const auto call :
       {APAPI_callstop_timer, APAPI_join_timer, APAPI_stop_timer, APAPI_interrupt_timer}) {
    EXPECT_EQ(call(timer_), -1);
  }
  EXPECT_EQ(reset(), -1);
  EXPECT_EQ(change(), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_STARTED);
  EXPECT_EQ(APAPI_initstart_timer(timer_), -1);
  EXPECT_EQ(APAPI_start_timer(timer_), -1);
  EXPECT_EQ(change(), -1);
  EXPECT_EQ(reset(), -1);
  EXPECT_EQ(APAPI_callstop_timer(timer_), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_STARTED);
  EXPECT_EQ(APAPI_join_timer(timer_), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_DONE);
  EXPECT_EQ(APAPI_start_timer(timer_), -1);
  EXPECT_EQ(APAPI_stop_timer(timer_), -1);
  EXPECT_EQ(change(), -1);
  EXPECT_EQ(reset(), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_READY);
  EXPECT_EQ(timer_->set, set_);  // NULL keeps the old one
  EXPECT_EQ(set_->count, 0);
}

TEST_F(Timer, OfNothingIsRefused) {
  for (const auto call : {APAPI_start_timer, APAPI_initstart_timer, APAPI_callstop_timer,
                          APAPI_join_timer, APAPI_stop_timer, APAPI_interrupt_timer}) {
    EXPECT_EQ(call(nullptr), -1);
  }
  EXPECT_EQ(APAPI_destroy_timer(nullptr), PAPI_OK);
  EXPECT_EQ(APAPI_create_timer(nullptr, 1, 0, nullptr, nullptr, nullptr), -1);
}

TEST_F(Timer, NeedsAnInterval) {
  const std::pair<time_t, long> bad[] = {{0, 0}, {-1, 0}, {0, -1}, {0, 1'000'000'000}};
  for (const auto& [sec, nsec] : bad) {
    EXPECT_EQ(APAPI_create_timer(&timer_, sec, nsec, nullptr, nullptr, nullptr), -1);
    EXPECT_EQ(timer_, nullptr);
  }
}

TEST_F(Timer, EndsAtOnceInEachState) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  for (int state = 0; state < 5; ++state) {
    ASSERT_EQ(MakeTimer(kHour), PAPI_OK);
    if (state >= 1) {
      EXPECT_EQ(APAPI_initstart_timer(timer_), PAPI_OK);
    }
    if (state >= 2) {
      EXPECT_EQ(APAPI_start_timer(timer_), PAPI_OK);
    }
    if (state == 3) {
      EXPECT_EQ(APAPI_callstop_timer(timer_), PAPI_OK);
    }
    if (state == 4) {
      EXPECT_EQ(APAPI_interrupt_timer(timer_), PAPI_OK);
    }
    EXPECT_EQ(APAPI_destroy_timer(&timer_), PAPI_OK) << state;
    EXPECT_EQ(timer_, nullptr);
    EXPECT_EQ(PAPI_state(set_->EventSet, nullptr), PAPI_EINVAL);
  }
  EXPECT_EQ(APAPI_destroy_timer(&timer_), PAPI_OK);
}

apapi_timer* s_timer = nullptr;

TEST_F(Timer, AnInterruptJoinsAndLeavesItDone) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(MakeTimer(kHour), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  EXPECT_EQ(APAPI_interrupt_timer(timer_), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_DONE);
  EXPECT_LE(set_->count, 1);  // the first measurement at most, and no final one
  int state = 0;
  EXPECT_EQ(PAPI_state(set_->EventSet, &state), PAPI_OK);
  EXPECT_EQ(state & PAPI_RUNNING, 0);
  EXPECT_EQ(APAPI_interrupt_timer(timer_), -1);
  EXPECT_EQ(APAPI_reset_timer(timer_, 1, 0, nullptr, nullptr, nullptr), PAPI_OK);
}

TEST_F(Timer, AnInterruptInTheCallbackIsJoinedLater) {
  static std::atomic<int> s_code;
  s_code = 7;
  const auto interrupt = [](void**, int) { s_code = APAPI_interrupt_timer(s_timer); };
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(MakeTimer(kHour, interrupt), PAPI_OK);
  s_timer = timer_;
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (s_code == 7) usleep(500);
  EXPECT_EQ(s_code, -1);
  EXPECT_EQ(APAPI_join_timer(timer_), PAPI_OK);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_DONE);
}

struct Calls {
  std::atomic<int> all{0}, lasts{0};
};
void Count(void** arg, int last) {
  auto* calls = reinterpret_cast<Calls*>(arg);
  ++calls->all;
  calls->lasts += last;
}

TEST_F(Timer, WithoutASetOnlyCallsBack) {
  Calls calls;
  ASSERT_EQ(MakeTimer(1, Count, reinterpret_cast<void**>(&calls)), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (calls.all < 4) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_EQ(calls.lasts, 1);
  const int at_end = calls.all;
  usleep(5'000);
  EXPECT_EQ(calls.all, at_end);
}

TEST_F(Timer, MeasuresWhatTheCountersSay) {
  std::string text =
      "perf::PAGE-FAULTS,APAPI_OP1_SAMPLE_DIFF,APAPI_STAT_ALL,APAPI_STAT_ALL,99,a,b,1,c,d,1\n"
      "perf::TASK-CLOCK,APAPI_OP1_NOP,APAPI_STAT_ALL,APAPI_STAT_ALL,0,a,b,1,c,d,1\n";
  apapi_event_ops* ops = nullptr;
  int count = 0;
  ASSERT_EQ(APAPI_read_event_ops_csv(text.data(), ',', &ops, &count), 0);
  ASSERT_EQ(MakeSet({kFaults, kClock}, ops), PAPI_OK);
  free(ops);
  static std::atomic<int> s_reads;
  s_reads = 0;
  AnswerReads([](int, long long* values) {
    constexpr long long kFirst[] = {50, 90, 20, 25};  // + 40, + 30 over the wrap, + 5
    constexpr long long kSecond[] = {1, 7, 3, 5};
    const int read = s_reads++;
    values[0] = kFirst[read];
    values[1] = kSecond[read];
    return PAPI_OK;
  });
  // The third measurement asks for the fourth, the final one.
  const auto stop_at_third = [](void**, int) {
    if (s_reads == 3) APAPI_callstop_timer(s_timer);
  };
  ASSERT_EQ(MakeTimer(1, stop_at_third), PAPI_OK);
  s_timer = timer_;
  ASSERT_EQ(StartTimer(), PAPI_OK);
  ASSERT_EQ(APAPI_join_timer(timer_), PAPI_OK);
  ASSERT_EQ(set_->count, 4);
  EXPECT_EQ(Value0(0, APAPI_ACC), 75);
  EXPECT_EQ(Value0(0, APAPI_MIN), 5);
  EXPECT_EQ(Value0(0, APAPI_MAX), 40);
  EXPECT_EQ(Value1(0, APAPI_ACC), -35);  // 30 - 40, 5 - 30
  EXPECT_EQ(Value1(0, APAPI_MAX), -10);
  EXPECT_EQ(Value0(1, APAPI_ACC), 15);
  EXPECT_EQ(Value1(1, APAPI_ACC), 0);
  EXPECT_EQ(set_->last_values1[0], -25);
  EXPECT_EQ(set_->current_counters[0], 25);
  EXPECT_EQ(set_->previous_counters[0], 20);
  EXPECT_EQ(set_->current_samples[0], 5);
  EXPECT_EQ(set_->previous_samples[0], 30);
  EXPECT_GT(set_->current_time, set_->previous_time);
  EXPECT_GT(set_->previous_time, set_->first_time);
  EXPECT_EQ(set_->last_time, set_->current_time);
}

TEST_F(Timer, CountsTheKernelsEventsOfTheCallingThread) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  Calls calls;
  ASSERT_EQ(MakeTimer(1, Count, reinterpret_cast<void**>(&calls)), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (calls.all < 3) usleep(500);
  constexpr std::size_t kPages = 200, kPage = 4096;
  auto* memory = static_cast<char*>(aligned_alloc(kPage, kPages * kPage));
  for (std::size_t i = 0; i < kPages; ++i) reinterpret_cast<volatile char*>(memory)[i * kPage] = 1;
  free(memory);
  ASSERT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_GE(set_->current_counters[0], static_cast<long long>(kPages) / 2);  // huge pages may help
  EXPECT_LE(Value0(0, APAPI_ACC), set_->current_counters[0]);
  EXPECT_EQ(Health().failed_reads, 0u);
}

TEST_F(Timer, StartsAnewAfterAReset) {
  ASSERT_EQ(MakeSet({kClock}), PAPI_OK);
  ASSERT_EQ(MakeTimer(kHour), PAPI_OK);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(StartTimer(), PAPI_OK);
    ASSERT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
    EXPECT_EQ(set_->count, 2);
    ASSERT_EQ(APAPI_reset_timer(timer_, 0, 5'000'000, nullptr, nullptr, set_), PAPI_OK);
    EXPECT_EQ(set_->current_time, 0);
    EXPECT_EQ(Value0(0, APAPI_ACC), 0);
  }
}

TEST_F(Timer, FailingReadsAreLeftOutAndSaidOnce) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  AnswerReads([](int, long long*) { return PAPI_ESYS; });
  Calls calls;
  ASSERT_EQ(MakeTimer(1, Count, reinterpret_cast<void**>(&calls)), PAPI_OK);
  testing::internal::CaptureStderr();
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (Health().failed_reads < 5) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(set_->count, 0);
  EXPECT_EQ(calls.all, 1);  // the end is told
  EXPECT_NE(message.find("component perf could not be read"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), message.size() - 1);
}

TEST_F(Timer, WhatMayBeMoreIsTakenAndSaidOnce) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  static std::atomic<int> s_reads;
  s_reads = 0;
  AnswerReads([](int, long long* values) {
    values[0] = 10 * s_reads++;
    return s_reads > 2 ? PAPI_ECLOST : PAPI_OK;
  });
  ASSERT_EQ(MakeTimer(1), PAPI_OK);
  testing::internal::CaptureStderr();
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (s_reads < 6) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Health().failed_reads, 0u);
  EXPECT_EQ(Health().lower_bound, 1);
  EXPECT_EQ(set_->count, s_reads);
  EXPECT_EQ(set_->current_counters[0], 10 * (s_reads - 1));
  EXPECT_NE(message.find("component perf: the values are a lower bound"), std::string::npos);
  EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
  ASSERT_EQ(APAPI_reset_timer(timer_, 1, 0, nullptr, nullptr, set_), PAPI_OK);
  EXPECT_EQ(Health().lower_bound, 0);
}

TEST_F(Timer, ReadsThatFailForAWhileLeaveAGap) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  static std::atomic<int> s_reads;
  s_reads = 0;
  AnswerReads([](int, long long* values) {
    const int read = s_reads++;
    values[0] = 10 * read;
    return read >= 1 && read < 4 ? PAPI_ESYS : PAPI_OK;
  });
  ASSERT_EQ(MakeTimer(1), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (s_reads < 6) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_EQ(Health().failed_reads, 3u);
  EXPECT_EQ(Value0(0, APAPI_ACC), set_->current_counters[0]);  // what grew in the gap is not lost
}

TEST_F(Timer, AnEventThatFailsLeavesTheOthersAndIsNamedOnce) {
  ASSERT_EQ(MakeSet({kFaults, kClock}), PAPI_OK);
  static std::atomic<int> s_reads;
  s_reads = 0;
  AnswerEach([](int, long long* values, int* codes) {
    const int read = s_reads++;
    values[0] = 10 * read;
    values[1] = 1'000 + read;
    codes[0] = PAPI_OK;
    codes[1] = read >= 2 && read < 5 ? PAPI_ESYS : PAPI_OK;
    return codes[1];
  });
  ASSERT_EQ(MakeTimer(1), PAPI_OK);
  testing::internal::CaptureStderr();
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (s_reads < 8) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  const std::string message = testing::internal::GetCapturedStderr();
  csink_apapi_event_times good = {}, bad = {};
  ASSERT_EQ(csink_apapi_get_event_times(set_, 0, &good), PAPI_OK);
  ASSERT_EQ(csink_apapi_get_event_times(set_, 1, &bad), PAPI_OK);
  EXPECT_EQ(csink_apapi_get_event_times(set_, 2, &bad), -1);
  EXPECT_EQ(set_->count, s_reads) << "no measurement of the others is left out";
  EXPECT_EQ(good.failed, 0u);
  EXPECT_EQ(good.samples, static_cast<unsigned long long>(s_reads));
  EXPECT_EQ(bad.failed, 3u);
  EXPECT_EQ(bad.samples, static_cast<unsigned long long>(s_reads - 3));
  EXPECT_EQ(bad.is_current, 1);
  EXPECT_EQ(bad.last_time, good.last_time);
  EXPECT_EQ(Health().failed_reads, 3u);
  EXPECT_EQ(Value0(0, APAPI_ACC), set_->current_counters[0]);
  EXPECT_EQ(Value0(1, APAPI_ACC), s_reads - 1) << "what grew in the gap is not lost";
  EXPECT_NE(message.find(std::string("event ") + kClock + " could not be read"), std::string::npos)
      << message;
  EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
}

TEST_F(Timer, ACounterThatBeganAnewHasNoGrowthAndNoTimeBeforeThat) {
  ASSERT_EQ(MakeSet({kFaults, kClock}), PAPI_OK);
  static std::atomic<int> s_reads;
  s_reads = 0;
  AnswerEach([](int, long long* values, int* codes) {
    const int read = s_reads++;
    values[0] = values[1] = 10 * read + (read >= 4 ? 1'000 : 0);
    codes[0] = read == 3 ? PAPI_ESYS : read == 4 ? PAPI_ECLOST : PAPI_OK;
    codes[1] = PAPI_OK;
    return codes[0];
  });
  ASSERT_EQ(MakeTimer(1), PAPI_OK);
  testing::internal::CaptureStderr();
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (s_reads < 8) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  testing::internal::GetCapturedStderr();
  csink_apapi_event_times times = {};
  csink_apapi_event_losses losses = {}, none = {};
  ASSERT_EQ(csink_apapi_get_event_times(set_, 0, &times), PAPI_OK);
  ASSERT_EQ(csink_apapi_get_event_losses(set_, 0, &losses), PAPI_OK);
  ASSERT_EQ(csink_apapi_get_event_losses(set_, 1, &none), PAPI_OK);
  EXPECT_EQ(csink_apapi_get_event_losses(set_, 2, &none), -1);
  EXPECT_EQ(times.failed, 1u);
  EXPECT_EQ(times.samples, static_cast<unsigned long long>(s_reads - 1));
  EXPECT_EQ(losses.anew, 1u);
  EXPECT_GT(losses.unknown_ns, 0);
  EXPECT_LT(losses.unknown_ns, times.last_time - times.first_time);
  EXPECT_EQ(none.anew, 0u);
  EXPECT_EQ(none.unknown_ns, 0);
  // From read 2 to read 4 nothing is known.
  EXPECT_EQ(Value0(0, APAPI_ACC), 10 * (s_reads - 1) - 20);
  EXPECT_EQ(Value0(1, APAPI_ACC), 10 * (s_reads - 1) + 1'000);
  EXPECT_EQ(Health().lower_bound, 1);
}

TEST_F(Timer, EventsThatExceedTheCountersTakeTurnsAndHaveTheirShare) {
  const Counters few(1, 0.25);
  testing::internal::CaptureStderr();
  const int made = MakeSet({kFaults, kClock});
  const std::string message = testing::internal::GetCapturedStderr();
  ASSERT_EQ(made, PAPI_OK) << message;
  EXPECT_NE(message.find("fewer counters than events: the events take turns"), std::string::npos);
  EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
  EXPECT_EQ(PAPI_get_multiplex(set_->EventSet), 1);
  ASSERT_EQ(MakeTimer(1), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  for (int event = 0; event < 2; ++event) {
    csink_apapi_event_times times = {};
    ASSERT_EQ(csink_apapi_get_event_times(set_, event, &times), PAPI_OK);
    EXPECT_EQ(times.counted_share, 0.25);
  }
}

TEST_F(Timer, AnEventThatIsThereTwiceIsNoReasonToTakeTurns) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(APAPI_destroy_apapi_eventset(&set_), PAPI_OK);
  testing::internal::CaptureStderr();
  const int made = MakeSet({kFaults, kFaults});
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(made, -1);
  EXPECT_EQ(message.find("take turns"), std::string::npos) << message;
}

TEST_F(Timer, AHangingReadDelaysNobodyAndIsLeftBehind) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(MakeTimer(50), PAPI_OK);
  apapi_timer* other = nullptr;
  Calls calls;
  ASSERT_EQ(
      APAPI_create_timer(&other, 0, 1'000'000, Count, reinterpret_cast<void**>(&calls), nullptr),
      0);
  HangingRead hanging;
  ASSERT_EQ(StartTimer(), PAPI_OK);
  ASSERT_EQ(APAPI_start_timer(other), PAPI_OK);
  hanging.WaitForReader();
  const int before = calls.all;
  while (calls.all < before + 5) usleep(500);
  EXPECT_EQ(APAPI_stop_timer(other), PAPI_OK);

  testing::internal::CaptureStderr();
  const long long begin = MillisecondsNow();
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_LT(MillisecondsNow() - begin, 5'000);  // it would never end
  EXPECT_NE(testing::internal::GetCapturedStderr().find("component perf does not respond"),
            std::string::npos);
  EXPECT_EQ(Health().abandoned, 1);
  EXPECT_EQ(csink_apapi_any_abandoned(), 1);
  EXPECT_EQ(timer_->state, APAPI_TIMER_STATE_DONE);
  // The set is not started a second time; everything may be freed while the read still hangs.
  EXPECT_EQ(APAPI_reset_timer(timer_, 1, 0, nullptr, nullptr, nullptr), PAPI_OK);
  EXPECT_EQ(APAPI_initstart_timer(timer_), -1);
  APAPI_destroy_timer(&timer_);
  APAPI_destroy_timer(&other);
  APAPI_destroy_apapi_eventset(&set_);
  hanging.Release();
  usleep(20'000);
}

TEST_F(Timer, DestroyingOneThatHangsLeavesItBehindToo) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  ASSERT_EQ(MakeTimer(20), PAPI_OK);
  HangingRead hanging;
  ASSERT_EQ(StartTimer(), PAPI_OK);
  hanging.WaitForReader();
  EXPECT_EQ(APAPI_destroy_timer(&timer_), PAPI_OK);
}

std::atomic<int> s_joined{7};

TEST_F(Timer, MayAskForItsOwnEndButNotWaitForIt) {
  ASSERT_EQ(MakeTimer(1,
                      [](void**, int last) {
                        if (last == 0) s_joined = APAPI_stop_timer(s_timer);
                      }),
            PAPI_OK);
  s_timer = timer_;
  ASSERT_EQ(APAPI_start_timer(timer_), PAPI_OK);
  EXPECT_EQ(APAPI_join_timer(timer_), PAPI_OK);
  EXPECT_EQ(s_joined, -1);
}

// Waits for a byte, touches pages in a child of its own, and lives until it is killed or done.
pid_t MakeProgram(int gate, bool forever) {
  const pid_t child = fork();
  if (child != 0) return child;
  char byte = 0;
  static_cast<void>(!read(gate, &byte, 1));
  const pid_t grandchild = fork();
  if (grandchild == 0) {
    constexpr std::size_t kPages = 300, kPage = 4096;
    auto* memory = static_cast<volatile char*>(aligned_alloc(kPage, kPages * kPage));
    for (std::size_t i = 0; i < kPages; ++i) memory[i * kPage] = 1;
    _exit(0);
  }
  waitpid(grandchild, nullptr, 0);
  while (forever) pause();
  _exit(0);
}

TEST_F(Timer, FollowsAProgramAndItsChildren) {
  for (const bool killed : {false, true}) {
    ASSERT_EQ(MakeSet({kFaults, kClock}), PAPI_OK);
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    const pid_t program = MakeProgram(gate[0], killed);
    ASSERT_EQ(csink_apapi_follow(set_, program), PAPI_OK);
    ASSERT_EQ(MakeTimer(5), PAPI_OK);
    ASSERT_EQ(StartTimer(), PAPI_OK);
    while (write(gate[1], "x", 1) != 1) {
    }
    if (killed) {
      usleep(100'000);
      kill(program, SIGKILL);
    }
    waitpid(program, nullptr, 0);
    EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
    EXPECT_GE(set_->current_counters[0], 300) << killed;
    EXPECT_GT(set_->current_counters[1], 0);
    close(gate[0]);
    close(gate[1]);
    APAPI_destroy_timer(&timer_);
    APAPI_destroy_apapi_eventset(&set_);
  }
}

TEST_F(Timer, EventsThatTakeTurnsFollowAProgram) {
  const Counters few(1, 0.5);
  ASSERT_EQ(MakeSet({kFaults, kClock}), PAPI_OK);
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t program = MakeProgram(gate[0], false);
  ASSERT_EQ(csink_apapi_follow(set_, program), PAPI_OK);
  ASSERT_EQ(MakeTimer(5), PAPI_OK);
  ASSERT_EQ(StartTimer(), PAPI_OK);
  while (write(gate[1], "x", 1) != 1) {
  }
  waitpid(program, nullptr, 0);
  EXPECT_EQ(APAPI_stop_timer(timer_), PAPI_OK);
  EXPECT_GE(set_->current_counters[0], 300);
  EXPECT_GT(set_->current_counters[1], 0);
  close(gate[0]);
  close(gate[1]);
}

TEST_F(Timer, AProgramThatIsGoneCannotBeFollowed) {
  ASSERT_EQ(MakeSet({kFaults}), PAPI_OK);
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_LT(csink_apapi_follow(set_, gone), 0);
}

}  // namespace

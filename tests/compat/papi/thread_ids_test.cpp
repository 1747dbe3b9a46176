// Numbers of threads as the program gives them, also those that thread libraries give again
// (the paragraphs on OpenMP of PAPI_unregister_thread and PAPI_thread_init).
#include <algorithm>
#include <thread>
#include <vector>

#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

thread_local unsigned long t_number = 0;
unsigned long Number() { return t_number; }
unsigned long NoNumber() { return static_cast<unsigned long>(-1); }

/// Runs `body` on a thread of its own that calls itself `number`.
template <class F>
void OnThread(unsigned long number, F body) {
  std::thread([&] {
    t_number = number;
    body();
  }).join();
}

std::vector<unsigned long> Known() {
  unsigned long ids[16] = {};
  int number = 16;
  EXPECT_EQ(PAPI_list_threads(ids, &number), PAPI_OK);
  std::vector<unsigned long> known(ids, ids + std::min(number, 16));
  std::sort(known.begin(), known.end());
  return known;
}

/// Starts the set, burns and stops it: ms that it counted.
long long Count(int set) {
  long long value = 0;
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  Burn(10);
  EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
  return value / 1'000'000;
}

using ThreadIds = PapiTest;

TEST_F(ThreadIds, WithoutAFunctionThereIsNone) {
  EXPECT_EQ(static_cast<long>(PAPI_thread_id()), PAPI_EMISC);
  EXPECT_EQ(PAPI_register_thread(), PAPI_OK);
  EXPECT_EQ(static_cast<long>(PAPI_thread_id()), PAPI_EMISC) << "nor by registering alone";
}

TEST_F(ThreadIds, AreAnsweredWithoutRegistration) {
  ASSERT_EQ(PAPI_thread_init(Number), PAPI_OK);
  OnThread(42, [] { EXPECT_EQ(PAPI_thread_id(), 42u); });
}

TEST_F(ThreadIds, OfAFunctionThatFailsAreMinusOne) {
  ASSERT_EQ(PAPI_thread_init(NoNumber), PAPI_OK);
  EXPECT_EQ(PAPI_thread_id(), static_cast<unsigned long>(-1));
}

TEST_F(ThreadIds, GivenAgainBelongToTheNewThread) {
  ASSERT_EQ(PAPI_thread_init(Number), PAPI_OK);
  t_number = 0;
  ASSERT_EQ(PAPI_register_thread(), PAPI_OK);
  int set = PAPI_NULL;
  for (int region = 0; region < 3; ++region) {
    OnThread(1, [&] {
      if (region == 0) set = SetOf({"perf::TASK-CLOCK"});
      EXPECT_EQ(PAPI_register_thread(), PAPI_OK);
      EXPECT_EQ(Known(), (std::vector<unsigned long>{0, 1}));
      const long long ms = Count(set);
      EXPECT_GE(ms, 9) << "the counter of the thread that has gone";
      EXPECT_LE(ms, 40);
      // The manual asks for it; without it the number is free at the thread's end, too.
      if (region == 1) {
        EXPECT_EQ(PAPI_unregister_thread(), PAPI_OK);
      }
    });
    EXPECT_EQ(Known(), std::vector<unsigned long>{0});
  }
}

TEST_F(ThreadIds, OfTwoThreadsAtOnceMayBeTheSame) {
  ASSERT_EQ(PAPI_thread_init(Number), PAPI_OK);
  std::thread threads[2];
  long long ms[2] = {};
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&ms, i] {
      t_number = 7;
      const int set = SetOf({"perf::TASK-CLOCK"});
      ms[i] = Count(set);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const long long counted : ms) EXPECT_GE(counted, 9);
}

TEST_F(ThreadIds, AreAskedAnewByRegistering) {
  ASSERT_EQ(PAPI_thread_init(Number), PAPI_OK);
  OnThread(3, [] {
    EXPECT_EQ(PAPI_register_thread(), PAPI_OK);
    t_number = 4;  // as in the next parallel region
    EXPECT_EQ(PAPI_thread_id(), 4u);
    EXPECT_EQ(PAPI_register_thread(), PAPI_OK);
    const std::vector<unsigned long> known = Known();
    EXPECT_EQ(std::count(known.begin(), known.end(), 4u), 1);
    EXPECT_EQ(std::count(known.begin(), known.end(), 3u), 0);
  });
}

TEST_F(ThreadIds, OfAThreadThatUnregistersWhileItCountsAreFree) {
  ASSERT_EQ(PAPI_thread_init(Number), PAPI_OK);
  int set = PAPI_NULL;
  OnThread(9, [&] {
    set = SetOf({"perf::TASK-CLOCK"});
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    Burn(5);
    ASSERT_EQ(PAPI_unregister_thread(), PAPI_OK);
    const std::vector<unsigned long> known = Known();
    EXPECT_EQ(std::count(known.begin(), known.end(), 9u), 0);
    long long value = 0;
    EXPECT_EQ(PAPI_stop(set, &value), PAPI_OK);
    EXPECT_GE(value, 4'000'000) << "its counts are not lost";
  });
  OnThread(9, [&] { EXPECT_GE(Count(set), 9); });
}

}  // namespace
}  // namespace papi_test

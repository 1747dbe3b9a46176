#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "tests/compat/papi/papi_fixture.h"

namespace papi_test {
namespace {

int OpenDescriptors() {
  int open = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++open;
  closedir(folder);
  return open;
}

using Threads = PapiTest;

TEST_F(Threads, UnknownThreadsAreAdopted) {
  std::thread([] {
    int code = 0;
    EXPECT_EQ(PAPI_event_name_to_code("PAPI_TOT_CYC", &code), PAPI_OK);
    const int set = SetOf({"perf::TASK-CLOCK"});
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  }).join();
}

TEST_F(Threads, LeaveNoDescriptorBehindAShutdown) {
  PAPI_shutdown();
  const int before = OpenDescriptors();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    const int set = SetOf({"perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
    EXPECT_EQ(PAPI_start(set), PAPI_OK);
    EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    PAPI_shutdown();
    EXPECT_EQ(OpenDescriptors(), before) << "life " << i;
  }
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

// Any thread may read a set that is attached to a thread, so its counters are kept for such
// readers.
TEST_F(Threads, FindTheCountersOfAttachedSetsOpenUntilTheNextShutdown) {
  PAPI_shutdown();
  const int before = OpenDescriptors();
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  const int set = SetOf({"perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
  ASSERT_EQ(PAPI_attach(set, static_cast<unsigned long>(gettid())), PAPI_OK);
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  PAPI_shutdown();
  EXPECT_GT(OpenDescriptors(), before);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
  PAPI_shutdown();
  EXPECT_EQ(OpenDescriptors(), before);
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

// Reads of running sets take no lock and are not waited for: what they look at must stay. The third
// reader's set is attached to its thread, and those of the last two are stopped.
TEST_F(Threads, MayBeInTheMidstOfCallsWhenAnotherShutsDown) {
  for (int life = 0; life < 20; ++life) {
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    std::atomic<int> at_work{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t) {
      threads.emplace_back([&, t] {
        const int set = SetOf({"perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
        if (t == 2) {
          EXPECT_EQ(PAPI_attach(set, static_cast<unsigned long>(gettid())), PAPI_OK);
        }
        EXPECT_EQ(PAPI_start(set), PAPI_OK);
        long long values[2] = {};
        if (t >= 3) {
          EXPECT_EQ(PAPI_stop(set, values), PAPI_OK);
        }
        ++at_work;
        while (t == 4 ? PAPI_accum(set, values) == PAPI_OK : PAPI_read(set, values) == PAPI_OK) {
        }
      });
    }
    threads.emplace_back([&] {
      int code = 0;
      PAPI_event_info_t info;
      ++at_work;
      while (PAPI_event_name_to_code("PAPI_TOT_CYC", &code) == PAPI_OK &&
             PAPI_get_event_info(code, &info) != PAPI_ENOINIT) {
      }
    });
    while (at_work != 6) std::this_thread::yield();
    PAPI_shutdown();
    for (auto& thread : threads) thread.join();
  }
  ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

TEST_F(Threads, HaveTheNumberThatTheProgramGives) {
  EXPECT_EQ(static_cast<long>(PAPI_thread_id()), PAPI_EMISC);
  EXPECT_EQ(PAPI_thread_init(nullptr), PAPI_EINVAL);
  ASSERT_EQ(PAPI_thread_init(pthread_self), PAPI_OK);
  EXPECT_EQ(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED | PAPI_THREAD_LEVEL_INITED);
  EXPECT_EQ(PAPI_thread_id(), pthread_self());
  unsigned long ids[2] = {};
  int number = 2;
  ASSERT_EQ(PAPI_list_threads(ids, &number), PAPI_OK);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(ids[0], pthread_self());
  number = 0;
  EXPECT_EQ(PAPI_list_threads(ids, &number), PAPI_EINVAL);
  EXPECT_EQ(PAPI_list_threads(ids, nullptr), PAPI_EINVAL);
}

TEST_F(Threads, UnregisterAndComeBack) {
  ASSERT_EQ(PAPI_register_thread(), PAPI_OK);
  EXPECT_EQ(PAPI_register_thread(), PAPI_OK) << "a known thread";
  EXPECT_EQ(PAPI_unregister_thread(), PAPI_OK);
  EXPECT_EQ(PAPI_unregister_thread(), PAPI_EMISC);
  int number = 0;
  ASSERT_EQ(PAPI_list_threads(nullptr, &number), PAPI_OK);
  EXPECT_EQ(number, 0);
  const int set = SetOf({"perf::TASK-CLOCK"});
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  ASSERT_EQ(PAPI_list_threads(nullptr, &number), PAPI_OK);
  EXPECT_EQ(number, 1);
}

TEST_F(Threads, KeepTheirOwnPointers) {
  int own = 0;
  void* read = nullptr;
  ASSERT_EQ(PAPI_set_thr_specific(PAPI_USR1_TLS, &own), PAPI_OK);
  std::thread([&] {
    int other = 0;
    void* mine = &own;
    EXPECT_EQ(PAPI_get_thr_specific(PAPI_USR1_TLS, &mine), PAPI_OK);
    EXPECT_EQ(mine, nullptr);
    EXPECT_EQ(PAPI_set_thr_specific(PAPI_USR1_TLS, &other), PAPI_OK);
    unsigned long ids[4];
    void* data[4];
    PAPI_all_thr_spec_t all = {4, ids, data};
    EXPECT_EQ(
        PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS, reinterpret_cast<void**>(&all)),
        PAPI_OK);
    EXPECT_EQ(all.num, 2);
    EXPECT_EQ(std::set<void*>({data[0], data[1]}), std::set<void*>({&own, &other}));
  }).join();
  ASSERT_EQ(PAPI_get_thr_specific(PAPI_USR1_TLS, &read), PAPI_OK);
  EXPECT_EQ(read, &own);
  for (const int tag : {-1, PAPI_NUM_TLS, 0x100}) {
    EXPECT_EQ(PAPI_set_thr_specific(tag, &own), PAPI_EINVAL) << tag;
    EXPECT_EQ(PAPI_get_thr_specific(tag, &read), PAPI_EINVAL) << tag;
  }
  EXPECT_EQ(PAPI_get_thr_specific(PAPI_USR1_TLS, nullptr), PAPI_EINVAL);
}

std::atomic<long> g_hits{0};
void CountHit(int, void*, long long, void*) { g_hits.fetch_add(1, std::memory_order_relaxed); }

// What each thread does at once: resolve the same presets, count, read, overflow.
void WorkOnAThread(std::atomic<int>& wrong) {
  int set = PAPI_NULL;
  long long values[3] = {};
  wrong += PAPI_create_eventset(&set) != PAPI_OK;
  for (const char* name : {"PAPI_TOT_CYC", "PAPI_L1_TCM", "PAPI_BR_CN"}) {
    int code = 0;
    wrong += PAPI_event_name_to_code(name, &code) != PAPI_OK;
    wrong += PAPI_query_event(code) != PAPI_OK;
    wrong += PAPI_add_event(set, code) != PAPI_OK;
  }
  wrong += PAPI_overflow(set, PAPI_TOT_CYC, 1'000'000, 0, CountHit) != PAPI_OK;
  wrong += PAPI_start(set) != PAPI_OK;
  Burn(10);
  for (int i = 0; i < 50; ++i) wrong += PAPI_read(set, values) != PAPI_OK;
  wrong += PAPI_stop(set, values) != PAPI_OK;
  wrong += values[0] < 5'000'000 || values[2] < values[0];
  wrong += PAPI_cleanup_eventset(set) != PAPI_OK;
  wrong += PAPI_destroy_eventset(&set) != PAPI_OK;
}

TEST_F(Threads, SixtyFourResolveStartReadAndOverflowAtOnce) {
  g_hits = 0;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) threads.emplace_back([&] { WorkOnAThread(wrong); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(g_hits, 64);
}

TEST_F(Threads, TenThousandComeAndGoWithoutAGrowth) {
  const auto life = [] {
    int set = PAPI_NULL;
    PAPI_create_eventset(&set);
    PAPI_add_named_event(set, "perf::TASK-CLOCK");
    PAPI_start(set);
    PAPI_stop(set, nullptr);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
  };
  constexpr int kThreads = 10'000;
  for (int i = 0; i < 100; ++i) std::thread(life).join();
  const int descriptors = OpenDescriptors();
  const std::size_t used = mallinfo2().uordblks;
  for (int i = 0; i < kThreads; ++i) std::thread(life).join();
  EXPECT_EQ(OpenDescriptors(), descriptors);
  int known = 0;
  EXPECT_EQ(PAPI_list_threads(nullptr, &known), PAPI_OK);
  EXPECT_EQ(known, 1);
#ifndef CSINK_SANITIZED  // whose own allocator answers nothing here
  EXPECT_LT(mallinfo2().uordblks, used + kThreads) << "less than a byte a thread";
#else
  (void)used;
#endif
}

}  // namespace
}  // namespace papi_test

#include <gtest/gtest.h>
#include <papi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/stolen_time.h"

namespace {

constexpr int kThreshold = 1'000'000;  // 1 ms of CPU time
constexpr long long kBurnNs = 150'000'000;
#if defined(CSINK_SANITIZED)  // ThreadSanitizer hands signals on late, several as one
constexpr double kClockError = 0.3;
#else
constexpr double kClockError = 0.1;
#endif
constexpr unsigned kPerAddress = 0x20000;

// What of the clock's time Burn did not run in: a host that takes the processor away without
// telling the guest, which counts that time as the thread's.
thread_local long long g_away_ns = 0;

// A piece of code that can be told from all others: everything up to its end belongs to it.
__attribute__((noinline, aligned(4096), section("text_of_burn"))) void Burn(long long ns) {
  long long now = PAPI_get_virt_nsec();
  const long long end = now + ns;
  while (now < end) {
    const long long before = now;
    for (int i = 0; i < 50'000; ++i) __asm__ volatile("");  // at most a third of a millisecond
    now = PAPI_get_virt_nsec();
    if (now - before > kThreshold) g_away_ns += now - before;
  }
}
constexpr std::size_t kBurnBytes = 1024;  // more than Burn has

/// Pages that nobody has touched; each is a fault of its own.
struct NewPages {
  explicit NewPages(std::size_t pages)
      : bytes(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(mapped, bytes, MADV_NOHUGEPAGE);
    base = static_cast<volatile char*>(mapped);
  }
  ~NewPages() { munmap(const_cast<char*>(base), bytes); }
  volatile char* base;
  std::size_t bytes;
};

void TouchNewPages(std::size_t pages) {
  const NewPages memory(pages);
  for (std::size_t i = 0; i < pages; ++i) memory.base[i * memory.bytes / pages] = 1;
}

int Event(const char* name) {
  int code = 0;
  EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_OK) << name;
  return code;
}

template <class T>
long long Sum(const std::vector<T>& buckets) {
  return static_cast<long long>(std::accumulate(buckets.begin(), buckets.end(), 0ull));
}

class ProfilTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stolen_.emplace();
    g_away_ns = 0;
    ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    ASSERT_EQ(PAPI_create_eventset(&set_), PAPI_OK);
    clock_ = Event("perf::TASK-CLOCK");
    faults_ = Event("perf::PAGE-FAULTS");
    const int added = PAPI_add_event(set_, clock_);
    if (added == PAPI_EPERM) GTEST_SKIP() << "perf_event_open is refused here";
    ASSERT_EQ(added, PAPI_OK);
  }
  void TearDown() override { PAPI_shutdown(); }

  template <class T>
  PAPI_sprofil_t OfBurn(std::vector<T>& buckets) {
    return {buckets.data(), static_cast<unsigned>(buckets.size() * sizeof(T)),
            reinterpret_cast<vptr_t>(&Burn), kPerAddress};
  }
  int Sprofil(std::vector<PAPI_sprofil_t> regions, int flags, int threshold = kThreshold) {
    return PAPI_sprofil(regions.data(), static_cast<int>(regions.size()), set_, clock_, threshold,
                        flags);
  }
  /// Every threshold counts of the clock are one hit, but for the time that the host took.
  void ExpectHits(long long hits, long long count, double slack = 1) {
    const double expected = static_cast<double>(count) / kThreshold;
    // A hit each: the threshold is a millisecond.
    const long long stolen_ms = std::max<long long>(stolen_->MostMs(), g_away_ns / kThreshold);
    EXPECT_LE(static_cast<double>(hits), expected * (1 + kClockError) + slack);
    EXPECT_GE(static_cast<double>(hits + stolen_ms), expected * (1 - kClockError) - slack)
        << "the host took " << stolen_ms << " ms";
  }
  /// Counts of the clock while Burn runs.
  long long RunBurn(long long ns = kBurnNs) {
    long long counts[4] = {};
    stolen_.emplace();
    g_away_ns = 0;
    EXPECT_EQ(PAPI_start(set_), PAPI_OK);
    Burn(ns);
    EXPECT_EQ(PAPI_stop(set_, counts), PAPI_OK);
    return counts[0];
  }
  int State() {
    int state = 0;
    EXPECT_EQ(PAPI_state(set_, &state), PAPI_OK);
    return state;
  }

  int set_ = PAPI_NULL;
  int clock_ = 0;
  int faults_ = 0;
  std::optional<csink::testing::StolenTime> stolen_;
};

TEST_F(ProfilTest, CountsEveryOverflowInBucketsOfEveryWidth) {
  const auto run = [this](auto zero, int flag) {
    std::vector<decltype(zero)> loop(kBurnBytes), rest(1);
    PAPI_sprofil_t catch_all = {rest.data(), 1, nullptr, 2};  // the manual's own size
    ASSERT_EQ(Sprofil({OfBurn(loop), catch_all}, PAPI_PROFIL_POSIX | flag), PAPI_OK);
    EXPECT_EQ(State(), PAPI_STOPPED | PAPI_PROFILING);
    const long long count = RunBurn();
    // In the loop, or, where the clock was just asked, in the catch-all.
    ExpectHits(Sum(loop) + Sum(rest), count);
    EXPECT_GT(static_cast<double>(Sum(loop)), 0.8 * static_cast<double>(Sum(loop) + Sum(rest)));
    EXPECT_EQ(Sprofil({OfBurn(loop)}, PAPI_PROFIL_POSIX | flag, 0), PAPI_OK);
    EXPECT_EQ(State(), PAPI_STOPPED);
  };
  run(static_cast<unsigned short>(0), 0);
  run(static_cast<unsigned short>(0), PAPI_PROFIL_BUCKET_16);
  run(static_cast<unsigned>(0), PAPI_PROFIL_BUCKET_32);
  run(0ull, PAPI_PROFIL_BUCKET_64);
}

TEST_F(ProfilTest, HistogramsOfFaultsAreExact) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  for (const int threshold : {1, 2, 5, 10}) {
    std::vector<unsigned> buckets(1);
    ASSERT_EQ(
        PAPI_profil(buckets.data(), 4, nullptr, 2, set_, faults_, threshold, PAPI_PROFIL_BUCKET_32),
        PAPI_OK);
    long long counts[2] = {};
    ASSERT_EQ(PAPI_start(set_), PAPI_OK);
    TouchNewPages(500);
    ASSERT_EQ(PAPI_stop(set_, counts), PAPI_OK);
    EXPECT_GE(counts[1], 500);
    EXPECT_EQ(buckets[0], counts[1] / threshold) << threshold;
  }
}

bool HasTrapHandler() {
  struct sigaction now = {};
  sigaction(SIGTRAP, nullptr, &now);
  return now.sa_handler != SIG_DFL;
}

// The kernel might throttle the event, and a ring is looked at too late to notice.
TEST_F(ProfilTest, ClocksNearTheLimitOfInterruptsAreProfiledByAHandler) {
  constexpr int kFast = 15'000;  // more than half of the default limit, 100,000 a second
  long limit_hz = 0;
  std::ifstream("/proc/sys/kernel/perf_event_max_sample_rate") >> limit_hz;
  if (limit_hz > 2'000'000'000 / kFast) {
    GTEST_SKIP() << "skipped: the limit is " << limit_hz
                 << " interrupts a second here, out of a clock's reach";
  }
  const int event = Event("perf::TASK-CLOCK");
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, event), PAPI_OK);
  std::vector<unsigned> all(1);
  PAPI_sprofil_t region = {all.data(), 4, nullptr, 2};
  ASSERT_EQ(PAPI_sprofil(&region, 1, set, event, kThreshold, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  EXPECT_FALSE(HasTrapHandler()) << "a ring will do";
  ASSERT_EQ(PAPI_sprofil(&region, 1, set, event, kFast, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  EXPECT_TRUE(HasTrapHandler());
  int state = 0;
  ASSERT_EQ(PAPI_state(set, &state), PAPI_OK);
  EXPECT_EQ(state & (PAPI_PROFILING | PAPI_OVERFLOWING), PAPI_PROFILING);
  EXPECT_EQ(PAPI_overflow(set, event, kThreshold, 0, [](int, void*, long long, void*) {}),
            PAPI_ECNFLCT);
  long long count = 0;
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(20'000'000);
  ASSERT_EQ(PAPI_stop(set, &count), PAPI_OK);
  // An interrupt takes about as long: most multiples fall due in the kernel, which is not counted.
  EXPECT_GT(all[0], 20u);
  EXPECT_LE(all[0], count / kFast + 1);
  ASSERT_EQ(PAPI_sprofil(&region, 1, set, event, kThreshold, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  EXPECT_FALSE(HasTrapHandler()) << "back to the ring";
  ASSERT_EQ(PAPI_sprofil(&region, 1, set, event, kFast, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  // A clock has no data addresses, which only the kernel can tell. The former profile stays.
  EXPECT_EQ(PAPI_sprofil(&region, 1, set, event, kFast, PAPI_PROFIL_DATA_EAR), PAPI_ENOSUPP);
  EXPECT_TRUE(HasTrapHandler());
  all[0] = 0;
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(20'000'000);
  ASSERT_EQ(PAPI_stop(set, &count), PAPI_OK);
  EXPECT_GT(all[0], 20u);
  ASSERT_EQ(PAPI_remove_event(set, event), PAPI_OK);
  EXPECT_FALSE(HasTrapHandler());
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
}

TEST_F(ProfilTest, AHandlerOfTheProgramsAndOneOfAProfileShareASet) {
  static std::atomic<long> calls;
  calls = 0;
  const int profiled = Event("perf::TASK-CLOCK");
  const int handled = Event("perf::CPU-CLOCK");
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, handled), PAPI_OK);
  ASSERT_EQ(PAPI_add_event(set, profiled), PAPI_OK);
  std::vector<unsigned> all(1);
  PAPI_sprofil_t region = {all.data(), 4, nullptr, 2};
  ASSERT_EQ(PAPI_sprofil(&region, 1, set, profiled, 15'000, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  ASSERT_EQ(PAPI_overflow(set, handled, kThreshold, 0,
                          [](int, void*, long long vector, void*) { calls += vector == 1; }),
            PAPI_OK);
  long long counts[2] = {};
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(50'000'000);
  ASSERT_EQ(PAPI_stop(set, counts), PAPI_OK);
  EXPECT_GT(all[0], 1000u);
  EXPECT_GT(calls.load(), 10);
  EXPECT_LE(calls.load(), counts[0] / kThreshold);
  ASSERT_EQ(PAPI_overflow(set, handled, 0, 0, nullptr), PAPI_OK);
  const long before = calls;
  const unsigned hits = all[0];
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  Burn(10'000'000);
  ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
  EXPECT_EQ(calls.load(), before);
  EXPECT_GT(all[0], hits) << "the profile goes on";
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
}

TEST_F(ProfilTest, BucketsAreCompleteAtARead) {
  std::vector<unsigned> all(1);
  PAPI_sprofil_t region = {all.data(), 4, nullptr, 2};
  ASSERT_EQ(Sprofil({region}, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  for (int step = 0; step < 5; ++step) {
    Burn(20'000'000);
    long long count = 0;
    ASSERT_EQ(PAPI_read(set_, &count), PAPI_OK);
    ExpectHits(all[0], count, 3);
  }
  EXPECT_EQ(PAPI_stop(set_, nullptr), PAPI_OK);
}

TEST_F(ProfilTest, SamplesThreadsThatBlockEverySignal) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::vector<unsigned> buckets(1);
  PAPI_sprofil_t region = {buckets.data(), 4, nullptr, 2};
  ASSERT_EQ(Sprofil({region}, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  const long long count = RunBurn();
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &before, &now);
  EXPECT_TRUE(sigismember(&now, SIGURG)) << "the mask is the program's again";
  ExpectHits(buckets[0], count);
}

TEST_F(ProfilTest, DropsAQuarterWithRandom) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  std::vector<unsigned> buckets(1);
  ASSERT_EQ(PAPI_profil(buckets.data(), 4, nullptr, 2, set_, faults_, 1,
                        PAPI_PROFIL_RANDOM | PAPI_PROFIL_BUCKET_32),
            PAPI_OK);
  long long counts[2] = {};
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  for (int i = 0; i < 40; ++i) {
    TouchNewPages(500);
    ASSERT_EQ(PAPI_read(set_, counts), PAPI_OK);  // so that no ring is ever full
  }
  ASSERT_EQ(PAPI_stop(set_, counts), PAPI_OK);
  EXPECT_GE(counts[1], 20000);
  EXPECT_NEAR(buckets[0] / static_cast<double>(counts[1]), 0.75, 0.01);
}

TEST_F(ProfilTest, ForcedSoftwareCountsTicksAndWeightedWhatTheyStandFor) {
  std::vector<unsigned> ticks(1), weighted(1);
  PAPI_sprofil_t region = {ticks.data(), 4, nullptr, 2};
  constexpr int kSoftware = PAPI_PROFIL_FORCE_SW | PAPI_PROFIL_BUCKET_32;
  ASSERT_EQ(Sprofil({region}, kSoftware), PAPI_OK);
  // The kernel's tick is 1 to 10 ms; where others want the processor, it often is not this
  // thread's.
  const long long count = RunBurn(4 * kBurnNs);
  EXPECT_GE(ticks[0], 2u);
  EXPECT_LE(ticks[0], count / kThreshold);
  region.pr_base = weighted.data();
  ASSERT_EQ(Sprofil({region}, kSoftware | PAPI_PROFIL_WEIGHTED), PAPI_OK);
  // Between the last tick and the end nothing is told; where other programs want the processor,
  // that may be many milliseconds of this thread's own time.
  const long long weighed = RunBurn(4 * kBurnNs);
  ExpectHits(weighted[0], weighed);
}

TEST_F(ProfilTest, ProfilesTwoEventsOfASet) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  std::vector<unsigned> clock_hits(1), fault_hits(1);
  PAPI_sprofil_t region = {clock_hits.data(), 4, nullptr, 2};
  ASSERT_EQ(Sprofil({region}, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  ASSERT_EQ(PAPI_profil(fault_hits.data(), 4, nullptr, 2, set_, faults_, 10, PAPI_PROFIL_BUCKET_32),
            PAPI_OK);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  Burn(50'000'000);
  TouchNewPages(400);
  long long counts[2] = {};
  ASSERT_EQ(PAPI_stop(set_, counts), PAPI_OK);
  ExpectHits(clock_hits[0], counts[0], 3);
  EXPECT_EQ(fault_hits[0], counts[1] / 10);
  // The event goes, its profile with it, the other one stays.
  EXPECT_EQ(PAPI_remove_event(set_, faults_), PAPI_OK);
  EXPECT_EQ(State(), PAPI_STOPPED | PAPI_PROFILING);
  EXPECT_EQ(PAPI_remove_event(set_, clock_), PAPI_OK);
  EXPECT_EQ(State() & PAPI_PROFILING, 0);
}

TEST_F(ProfilTest, HistogramsOfDataAddresses) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const NewPages memory(300);
  std::vector<unsigned> buckets(300);
  // 0x20000 / scale addresses a bucket: a page each.
  const auto scale = static_cast<unsigned>(0x20000 / page);
  ASSERT_EQ(PAPI_profil(buckets.data(), 1200, const_cast<char*>(memory.base), scale, set_, faults_,
                        1, PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_DATA_EAR),
            PAPI_OK);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  for (std::size_t i = 2; i < 298; ++i) memory.base[i * page] = 1;
  ASSERT_EQ(PAPI_stop(set_, nullptr), PAPI_OK);
  EXPECT_EQ(Sum(buckets), 296);
  EXPECT_EQ(buckets[1] + buckets[298], 0u);
}

TEST_F(ProfilTest, RefusesAddressesThatAnEventDoesNotHave) {
  std::vector<unsigned short> buckets(8);
  EXPECT_EQ(Sprofil({OfBurn(buckets)}, PAPI_PROFIL_DATA_EAR), PAPI_ENOSUPP);
  EXPECT_EQ(State(), PAPI_STOPPED);
  EXPECT_EQ(Sprofil({OfBurn(buckets)}, PAPI_PROFIL_DATA_EAR | PAPI_PROFIL_INST_EAR), PAPI_EINVAL);
}

TEST_F(ProfilTest, AnEmptySetLacksTheEvent) {
  int empty = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&empty), PAPI_OK);
  std::vector<unsigned short> buckets(8);
  PAPI_sprofil_t region = OfBurn(buckets);
  EXPECT_EQ(PAPI_sprofil(&region, 1, empty, clock_, kThreshold, 0), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_profil(buckets.data(), 16, nullptr, 2, empty, clock_, kThreshold, 0),
            PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_profil(buckets.data(), 16, nullptr, 2, empty, clock_, 0, 0), PAPI_ENOEVNT);
  // Nor does a component make it a member.
  ASSERT_EQ(PAPI_assign_eventset_component(empty, 0), PAPI_OK);
  EXPECT_EQ(PAPI_sprofil(&region, 1, empty, clock_, kThreshold, 0), PAPI_ENOEVNT);
  EXPECT_EQ(PAPI_destroy_eventset(&empty), PAPI_OK);
}

TEST_F(ProfilTest, SharesASetWithAnOverflowHandlerButNotAnEvent) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  static int faults_seen;
  faults_seen = 0;
  const PAPI_overflow_handler_t handler = [](int, void*, long long, void*) { ++faults_seen; };
  std::vector<unsigned> buckets(1);
  PAPI_sprofil_t region = {buckets.data(), 4, nullptr, 2};
  ASSERT_EQ(PAPI_overflow(set_, faults_, 10, 0, handler), PAPI_OK);
  ASSERT_EQ(Sprofil({region}, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  EXPECT_EQ(PAPI_overflow(set_, clock_, kThreshold, 0, handler), PAPI_ECNFLCT);
  EXPECT_EQ(PAPI_profil(buckets.data(), 4, nullptr, 2, set_, faults_, 10, 0), PAPI_ECNFLCT);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  TouchNewPages(400);
  Burn(20'000'000);
  long long counts[2] = {};
  ASSERT_EQ(PAPI_stop(set_, counts), PAPI_OK);
  EXPECT_EQ(faults_seen, counts[1] / 10);
  ExpectHits(buckets[0], counts[0], 5);
}

TEST_F(ProfilTest, MixesNoHardwareWithForcedSoftware) {
  ASSERT_EQ(PAPI_add_event(set_, faults_), PAPI_OK);
  std::vector<unsigned short> buckets(8);
  ASSERT_EQ(Sprofil({OfBurn(buckets)}, 0), PAPI_OK);
  EXPECT_EQ(PAPI_profil(buckets.data(), 16, nullptr, 2, set_, faults_, 10, PAPI_PROFIL_FORCE_SW),
            PAPI_ECNFLCT);
  EXPECT_EQ(Sprofil({OfBurn(buckets)}, PAPI_PROFIL_FORCE_SW), PAPI_OK);  // its own mode may change
  EXPECT_EQ(Sprofil({OfBurn(buckets)}, 0), PAPI_OK);
}

TEST_F(ProfilTest, LeavesNothingBehindAFailedCall) {
  std::vector<unsigned short> buckets(8);
  const PAPI_sprofil_t good = OfBurn(buckets);
  const auto with = [&](auto change) {
    PAPI_sprofil_t region = good;
    change(region);
    return Sprofil({region}, 0);
  };
  EXPECT_EQ(with([](auto& r) { r.pr_base = nullptr; }), PAPI_EINVAL);
  EXPECT_EQ(with([](auto& r) { r.pr_size = 0; }), PAPI_EINVAL);
  EXPECT_EQ(with([](auto& r) { r.pr_scale = 0; }), PAPI_EINVAL);
  EXPECT_EQ(with([](auto& r) { r.pr_scale = 1; }), PAPI_EINVAL);
  EXPECT_EQ(with([](auto& r) { r.pr_scale = 0x20001; }), PAPI_EINVAL);
  EXPECT_EQ(with([](auto& r) { r.pr_base = static_cast<char*>(r.pr_base) + 1; }), PAPI_EINVAL);
  EXPECT_EQ(Sprofil({good}, 0, -1), PAPI_EINVAL);
  EXPECT_EQ(Sprofil({good}, 0, 0), PAPI_EINVAL);  // was not profiled
  EXPECT_EQ(Sprofil({good}, 0x400), PAPI_EINVAL);
  EXPECT_EQ(Sprofil({good}, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32), PAPI_EINVAL);
  EXPECT_EQ(Sprofil({}, 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_sprofil(nullptr, 1, set_, clock_, kThreshold, 0), PAPI_EINVAL);
  PAPI_sprofil_t copy = good;
  EXPECT_EQ(PAPI_sprofil(&copy, -1, set_, clock_, kThreshold, 0), PAPI_EINVAL);
  EXPECT_EQ(PAPI_sprofil(&copy, 1, 0x7ff0, clock_, kThreshold, 0), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_sprofil(&copy, 1, set_, faults_, kThreshold, 0), PAPI_ENOEVNT);
  EXPECT_EQ(State(), PAPI_STOPPED);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  EXPECT_EQ(Sprofil({good}, 0), PAPI_EISRUN);
  EXPECT_EQ(PAPI_stop(set_, nullptr), PAPI_OK);
  EXPECT_EQ(State(), PAPI_STOPPED);
  EXPECT_EQ(Sum(buckets), 0);
}

TEST_F(ProfilTest, ThreadsProfileIntoOneBuffer) {
  std::vector<unsigned long long> buckets(1);
  std::atomic<long long> counts{0};
  std::vector<std::thread> threads;
  ASSERT_EQ(PAPI_thread_init(reinterpret_cast<unsigned long (*)(void)>(pthread_self)), PAPI_OK);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      int set = PAPI_NULL;
      long long count = 0;
      ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
      ASSERT_EQ(PAPI_add_event(set, clock_), PAPI_OK);
      ASSERT_EQ(PAPI_profil(buckets.data(), 8, nullptr, 2, set, clock_, kThreshold,
                            PAPI_PROFIL_BUCKET_64),
                PAPI_OK);
      ASSERT_EQ(PAPI_start(set), PAPI_OK);
      Burn(100'000'000);
      ASSERT_EQ(PAPI_stop(set, &count), PAPI_OK);
      counts += count;
    });
  }
  for (auto& thread : threads) thread.join();
  ExpectHits(static_cast<long long>(buckets[0]), counts);
}

TEST_F(ProfilTest, AForkedChildIsNotProfiledAndHarmsNothing) {
  std::vector<unsigned> buckets(1);
  PAPI_sprofil_t region = {buckets.data(), 4, nullptr, 2};
  ASSERT_EQ(Sprofil({region}, PAPI_PROFIL_BUCKET_32), PAPI_OK);
  ASSERT_EQ(PAPI_start(set_), PAPI_OK);
  const pid_t child = fork();
  if (child == 0) {
    const unsigned before = buckets[0];
    Burn(50'000'000);
    _exit(buckets[0] == before ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Burn(100'000'000);
  long long count = 0;
  ASSERT_EQ(PAPI_stop(set_, &count), PAPI_OK);
  ExpectHits(buckets[0], count);
}

TEST_F(ProfilTest, OfAnInheritedSetIsRefusedWhereItIsAskedFor) {
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_OK);
  PAPI_option_t option = {};
  option.inherit = {set, PAPI_INHERIT_ALL};
  ASSERT_EQ(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_OK);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  int clock = 0;
  ASSERT_EQ(PAPI_event_name_to_code("perf::TASK-CLOCK", &clock), PAPI_OK);
  unsigned short buckets[16] = {};
  EXPECT_EQ(PAPI_profil(buckets, sizeof buckets, nullptr, 65536, set, clock, kThreshold,
                        PAPI_PROFIL_POSIX),
            PAPI_ENOSUPP);
  EXPECT_EQ(PAPI_start(set), PAPI_OK);
  EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

}  // namespace

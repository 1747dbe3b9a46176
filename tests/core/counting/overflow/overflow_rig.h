#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "core/counting/overflow/set_overflow.h"
#include "tests/fakes/plain_counter_set.h"

namespace csink::testing {

/// One event and its threshold; 0: counted, not armed.
struct Wanted {
  std::uint32_t event;
  std::uint64_t threshold;
};

/// A set of events with overflow, on the machine's own kernel. Event i has bit i of the vector.
class OverflowRig {
 public:
  explicit OverflowRig(std::initializer_list<Wanted> events,
                       OverflowMode mode = OverflowMode::kHardware,
                       OverflowSourceKind forced = OverflowSourceKind::kAutomatic)
      : OverflowRig(std::vector<Wanted>(events), mode, forced) {}
  OverflowRig(const std::vector<Wanted>& events, OverflowMode mode, OverflowSourceKind forced) {
    for (const Wanted& wanted : events) {
      if (wanted.threshold != 0) {
        armings.push_back({requests.size(), std::uint64_t{1} << requests.size(), wanted.threshold});
        armings.back().clock = wanted.event == PlainCounterSet::kTaskClock ||
                               wanted.event == PlainCounterSet::kCpuClock;
      }
      requests.push_back({wanted.event, {}});
    }
    hits.assign(requests.size(), 0);
    missed.assign(requests.size(), 0);
    error = overflow.Prepare(requests, armings, mode, OnHit, this, forced).error();
    if (error.code == Errc::kOk) error = set.Configure(requests, {}).error();
  }

  bool ok() const { return error.code == Errc::kOk; }
  void Start() {
    error = overflow.Arm(set).error();
    if (ok()) error = set.Start().error();
  }
  /// The counts.
  std::vector<long long> Stop() {
    EXPECT_TRUE(set.Stop());
    overflow.Disarm();
    return Counts();
  }
  std::vector<long long> Counts() {
    std::vector<long long> counts(set.size());
    EXPECT_TRUE(set.Read(counts.data()));
    return counts;
  }
  /// Of the first event; also for handlers.
  long long FirstCount() {
    long long counts[64] = {};
    return set.Read(counts) ? counts[0] : -1;
  }
  /// Multiples of the threshold that the handler was told of.
  std::uint64_t Told(std::size_t i) const { return hits[i] + missed[i]; }

  std::vector<CounterRequest> requests;
  std::vector<OverflowArming> armings;
  PlainCounterSet set;
  SetOverflow overflow;
  Error error;
  std::vector<std::uint64_t> hits;
  std::vector<std::uint64_t> missed;
  std::uint64_t odd_vectors = 0;
  void* last_pc = nullptr;
  void (*extra)(OverflowRig&, const OverflowHit&) = nullptr;  ///< In the handler

 private:
  static void OnHit(void* owner, const OverflowHit& hit) noexcept {
    auto& rig = *static_cast<OverflowRig*>(owner);
    const int bit = __builtin_ctzll(hit.vector);
    if (hit.vector != std::uint64_t{1} << bit || bit >= static_cast<int>(rig.hits.size())) {
      ++rig.odd_vectors;
      return;
    }
    ++rig.hits[static_cast<std::size_t>(bit)];
    rig.missed[static_cast<std::size_t>(bit)] += hit.missed;
    rig.last_pc = hit.pc;
    if (rig.extra) rig.extra(rig, hit);
  }
};

inline std::uint64_t ThreadCpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Computes, in user mode but for the look at the clock, for so much CPU time of the thread.
[[gnu::noinline]] inline void BurnFor(std::uint64_t cpu_ns) {
  volatile double x = 1;
  const std::uint64_t end = ThreadCpuNs() + cpu_ns;
  while (ThreadCpuNs() < end) {
    for (int i = 0; i < 200'000; ++i) x = x * 0.999 + 1;
  }
}

/// Pages that were never touched.
class FreshPages {
 public:
  explicit FreshPages(std::size_t pages) : bytes_(pages * kPage) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    base_ = static_cast<char*>(at);
    madvise(base_, bytes_, MADV_NOHUGEPAGE);
  }
  ~FreshPages() { munmap(base_, bytes_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  /// One page fault each.
  void Touch(std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      static_cast<volatile char*>(base_)[i * kPage] = 1;
    }
  }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t bytes_;
  char* base_ = nullptr;
};

}  // namespace csink::testing

#include "profil/critical/unseen.h"

#include <algorithm>
#include <tuple>

namespace csink::critical {
namespace {

/// The end of a hook's wait and the next time on a processor may differ by this much.
constexpr std::int64_t kCoverJitterNs = 50'000;

/// What is left of [begin, end] when the waits around it are taken away; `from` as in
/// OnProcessorNs.
bool IsUncovered(std::span<const Wait> waits, std::int64_t& begin, std::int64_t end,
                 std::size_t& from) {
  while (from < waits.size() && waits[from].end_ns <= begin) ++from;
  if (from < waits.size() && waits[from].start_ns <= begin) {
    if (waits[from].end_ns >= end - kCoverJitterNs) return false;
    begin = waits[from].end_ns;
    if (from + 1 < waits.size() && waits[from + 1].start_ns < end) return false;
  } else if (from < waits.size() && waits[from].start_ns < end) {
    return false;
  }
  return end - begin > kUnseenWaitNs;
}

bool MayInfer(const Wait& wait) {
  if (wait.known != Known::kNot || wait.end_ns - wait.start_ns <= kUnseenWaitNs) return false;
  switch (wait.kind) {
    case MomentKind::kConditionWait:
    case MomentKind::kSemaphoreWait:
    case MomentKind::kJoinWait:
    case MomentKind::kChildWait:
    case MomentKind::kBarrierWait:
    case MomentKind::kSleep:
      return false;
    default:
      return true;
  }
}

/// An end of a wait whose waker is asked for, or a change of who ran lately.
struct Event {
  std::int64_t time_ns;
  enum Kind : std::uint8_t { kBegins, kAsks, kIsPast } kind;
  std::uint32_t thread;
  std::size_t wait;  ///< Index into the rows of waits, of kAsks
};

/// The threads that ran within kRanBeforeNs. The sum of their numbers names the only one.
class Recent {
 public:
  explicit Recent(std::size_t threads) : times_(threads) {}
  void Begin(std::uint32_t thread) {
    if (times_[thread]++ == 0) Count(1, thread);
  }
  void Past(std::uint32_t thread) {
    if (--times_[thread] == 0) Count(-1, thread);
  }
  /// The only one besides `thread`; kNone: none or several.
  std::uint32_t OnlyOther(std::uint32_t thread) const {
    const bool self = times_[thread] > 0;
    if (threads_ - (self ? 1 : 0) != 1) return kNone;
    return static_cast<std::uint32_t>(sum_ - (self ? thread : 0));
  }

 private:
  void Count(std::int64_t by, std::uint32_t thread) {
    threads_ += by;
    sum_ += by * static_cast<std::int64_t>(thread);
  }
  std::vector<std::uint32_t> times_;  ///< Overlapping stretches of each thread
  std::int64_t threads_ = 0;
  std::int64_t sum_ = 0;
};

/// Times on a processor without those spent in spinning waits.
std::vector<OnProcessor> WithoutSpins(std::span<const OnProcessor> on,
                                      std::span<const Wait> waits) {
  std::vector<OnProcessor> left;
  std::size_t from = 0;
  for (OnProcessor time : on) {
    while (from < waits.size() && waits[from].end_ns <= time.begin_ns) ++from;
    for (std::size_t i = from; i < waits.size() && waits[i].start_ns < time.end_ns; ++i) {
      if (waits[i].kind != MomentKind::kSpinWait) continue;
      if (waits[i].start_ns > time.begin_ns) {
        left.push_back({time.begin_ns, waits[i].start_ns, false});
      }
      time.begin_ns = std::min(waits[i].end_ns, time.end_ns);
    }
    if (time.end_ns > time.begin_ns) left.push_back(time);
  }
  return left;
}

void Infer(const CriticalLog& log, Waits& waits, bool without_spins) {
  std::vector<Event> events;
  for (std::uint32_t thread = 0; thread < log.threads.size(); ++thread) {
    for (std::size_t i = waits.waits.begins[thread]; i < waits.waits.begins[thread + 1]; ++i) {
      const Wait& wait = waits.waits.rows[i];
      if (MayInfer(wait)) events.push_back({wait.end_ns, Event::kAsks, thread, i});
    }
  }
  if (events.empty()) return;
  for (std::uint32_t thread = 0; thread < log.threads.size(); ++thread) {
    std::vector<OnProcessor> left;
    std::span<const OnProcessor> on = log.on.Of(thread);
    if (without_spins) {
      left = WithoutSpins(on, waits.waits.Of(thread));
      on = left;
    }
    for (const OnProcessor& time : on) {
      events.push_back({time.begin_ns, Event::kBegins, thread, 0});
      events.push_back({time.end_ns + kRanBeforeNs, Event::kIsPast, thread, 0});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.time_ns, a.kind, a.thread, a.wait) <
           std::tuple(b.time_ns, b.kind, b.thread, b.wait);
  });
  Recent recent(log.threads.size());
  for (const Event& event : events) {
    if (event.kind == Event::kBegins) {
      recent.Begin(event.thread);
    } else if (event.kind == Event::kIsPast) {
      recent.Past(event.thread);
    } else if (const std::uint32_t other = recent.OnlyOther(event.thread); other != kNone) {
      Wait& wait = waits.waits.rows[event.wait];
      wait.known = Known::kInferred;
      wait.first_waker = static_cast<std::uint32_t>(waits.wakers.size());
      wait.wakers = 1;
      waits.wakers.push_back({event.time_ns, other, kNone, At::kTime});
    }
  }
}

}  // namespace

void AddUnseenWaits(const CriticalLog& log, Waits& waits) {
  ByThread<Wait> all;
  all.begins.push_back(0);
  for (std::uint32_t thread = 0; thread < log.threads.size(); ++thread) {
    const std::span<const Wait> seen = waits.waits.Of(thread);
    const std::span<const OnProcessor> on = log.on.Of(thread);
    all.rows.insert(all.rows.end(), seen.begin(), seen.end());
    const auto begin = static_cast<std::ptrdiff_t>(all.begins.back());
    std::size_t from = 0;
    for (std::size_t i = 0; i + 1 < on.size(); ++i) {
      if (!on[i].blocked) continue;
      Wait wait;
      wait.start_ns = on[i].end_ns;
      wait.end_ns = on[i + 1].begin_ns;
      if (IsUncovered(seen, wait.start_ns, wait.end_ns, from)) all.rows.push_back(wait);
    }
    std::sort(all.rows.begin() + begin, all.rows.end(),
              [](const Wait& a, const Wait& b) { return a.start_ns < b.start_ns; });
    all.begins.push_back(all.rows.size());
  }
  waits.waits = std::move(all);
}

void InferWakers(const CriticalLog& log, Waits& waits) {
  Infer(log, waits, false);
  // Among several that ran, those that spun themselves ended no wait.
  if (log.spin_samples > 0) Infer(log, waits, true);
}

}  // namespace csink::critical

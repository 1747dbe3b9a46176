#include "profil/critical/path.h"

#include <algorithm>
#include <limits>

namespace csink::critical {
namespace {

/// Wakers that are as late as the wait's end take no time off. So many in a row may be a circle of
/// threads that woke each other at one moment.
constexpr int kMostAtOnce = 64;

/// The last wait that ended at `time` or before and was not short; nullptr: none.
const Wait* LastWait(std::span<const Wait> waits, std::int64_t time) {
  const auto behind = std::partition_point(
      waits.begin(), waits.end(), [time](const Wait& wait) { return wait.end_ns <= time; });
  for (std::size_t i = static_cast<std::size_t>(behind - waits.begin()); i > 0; --i) {
    const Wait& wait = waits[i - 1];
    if (wait.end_ns - wait.start_ns > kShortWaitNs && wait.known != Known::kOwn) return &wait;
  }
  return nullptr;
}

class Walk {
 public:
  Walk(const CriticalLog& log, const Waits& waits) : log_(log), waits_(waits) {}

  std::vector<Segment> Run() {
    thread_ = log_.root;
    time_ = log_.threads[thread_].end_ns;
    bool goes_on = true;
    while (goes_on) {
      const std::int64_t before = time_;
      const std::int64_t start = log_.threads[thread_].start_ns;
      const Wait* wait = LastWait(waits_.waits.Of(thread_), time_);
      if (wait == nullptr || wait->end_ns <= start) {
        goes_on = ToCreator(start);
      } else {
        Add(wait->end_ns, time_, SegmentKind::kRun);
        OverWait(*wait);
      }
      at_once_ = time_ < before ? 0 : at_once_ + 1;
    }
    return std::move(segments_);
  }

 private:
  void Add(std::int64_t begin, std::int64_t end, SegmentKind kind,
           MomentKind wait = MomentKind::kUnseenWait) {
    if (end <= begin) return;
    const std::int64_t inferred = std::max<std::int64_t>(0, end - std::max(begin, inferred_since_));
    segments_.push_back({begin, end, thread_, kind, wait, inferred});
  }
  void GoTo(const Waker& waker, std::int64_t time) {
    thread_ = waker.thread;
    time_ = time;
  }

  bool ToCreator(std::int64_t start) {
    Add(start, time_, SegmentKind::kRun);
    const Waker& creator = waits_.creators[thread_];
    if (creator.thread == kNone || thread_ == log_.root || at_once_ > kMostAtOnce) return false;
    const std::int64_t time = std::min({creator.time_ns, start, time_});
    Add(time, start, SegmentKind::kStarting);
    GoTo(creator, time);
    return true;
  }

  void OverWait(const Wait& wait) {
    const Waker* waker = waits_.LatestWaker(thread_, wait);
    if (waker != nullptr && at_once_ <= kMostAtOnce) {
      const std::int64_t time = std::min(waker->time_ns, wait.end_ns);
      // Without this waker, all of the wait would be unknown.
      if (wait.known == Known::kInferred)
        inferred_since_ = std::min(inferred_since_, wait.start_ns);
      Add(time, wait.end_ns, SegmentKind::kWoken, wait.kind);
      GoTo(*waker, time);
      return;
    }
    if (waker == nullptr && wait.known == Known::kHook) {
      // Its waker came long before: the thread did not wait, the call took its time.
      Add(wait.start_ns, wait.end_ns, SegmentKind::kRun);
      time_ = wait.start_ns;
      return;
    }
    const bool sleeps = wait.known == Known::kOutside;
    Add(wait.start_ns, wait.end_ns, sleeps ? SegmentKind::kSleep : SegmentKind::kUnknown,
        wait.kind);
    time_ = wait.start_ns;
  }

  const CriticalLog& log_;
  const Waits& waits_;
  std::uint32_t thread_ = 0;
  std::int64_t time_ = 0;
  int at_once_ = 0;
  /// The walk has come over waits with inferred wakers, the earliest of which began here
  std::int64_t inferred_since_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Segment> WalkBack(const CriticalLog& log, const Waits& waits) {
  if (log.root == kNone) return {};
  return Walk(log, waits).Run();
}

}  // namespace csink::critical

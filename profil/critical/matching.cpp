#include "profil/critical/matching.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>

#include "profil/critical/waits.h"

namespace csink::critical {
namespace {

/// A wait that ended so much before a signal was not ended by it.
constexpr std::int64_t kSignalJitterNs = 1'000;

/// How many waiters a waker wakes.
std::uint64_t WakesOf(const Moment& waker) {
  if (waker.kind == MomentKind::kConditionBroadcast) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return waker.kind == MomentKind::kFutexWake ? waker.value : 1;
}

class Queue {
 public:
  Queue(const CriticalLog& log, Matches& matches) : moments_(log.moments.rows), matches_(matches) {}

  void Add(const Point& wait) { waiting_.push_back(wait); }
  void Wake(const Point& waker) {
    aside_.clear();
    std::uint64_t left = WakesOf(moments_[waker.moment]);
    while (left > 0 && !waiting_.empty()) {
      const Point wait = waiting_.front();
      waiting_.pop_front();
      if (moments_[wait.moment].end_ns <= waker.time_ns - kSignalJitterNs) continue;
      if (wait.thread == waker.thread) {
        // Of a signal handler, or of a damaged log: one is kept.
        if (aside_.empty()) aside_.push_back(wait);
        continue;
      }
      matches_[wait.moment] = waker.moment;
      --left;
    }
    waiting_.insert(waiting_.begin(), aside_.begin(), aside_.end());
  }

 private:
  const std::vector<Moment>& moments_;
  Matches& matches_;
  std::deque<Point> waiting_;
  std::vector<Point> aside_;
};

/// Waits that the queue left over, with a waker just before their end: the C library does not keep
/// the order of waiters strictly.
void MatchByTime(const CriticalLog& log, std::span<const Point> points, Matches& matches) {
  std::vector<Point> wakers;
  for (const Point& point : points) {
    if (IsPoint(log.moments.rows[point.moment].kind)) wakers.push_back(point);
  }
  for (const Point& point : points) {
    const Moment& wait = log.moments.rows[point.moment];
    if (IsPoint(wait.kind) || !wait.WasEnded() || matches[point.moment] != kNone) continue;
    const std::int64_t begin = std::max(wait.start_ns, wait.end_ns - kWakerAfterWaitNs);
    const Point* waker = LastPoint(wakers, begin, wait.end_ns, point.thread);
    if (waker != nullptr) matches[point.moment] = waker->moment;
  }
}

/// Counts of bytes of several processes as one.
class Bytes {
 public:
  explicit Bytes(const CriticalLog& log) : log_(log) {}
  /// What all processes have written or read up to this moment. `is_new` is false if it added
  /// nothing.
  std::uint64_t UpTo(const Point& point, bool& is_new) {
    std::uint64_t& most = most_[log_.threads[point.thread].process];
    const std::uint64_t value = log_.moments.rows[point.moment].value;
    is_new = value > most;
    if (is_new) {
      sum_ += value - most;
      most = value;
    }
    return sum_;
  }

 private:
  const CriticalLog& log_;
  std::unordered_map<std::uint32_t, std::uint64_t> most_;  ///< By process
  std::uint64_t sum_ = 0;
};

}  // namespace

void MatchQueues(const CriticalLog& log, const PointIndex& index, Matches& matches) {
  for (const PointIndex::Group& group : index.groups()) {
    if (!IsQueue(group.family)) continue;
    Queue queue(log, matches);
    for (const Point& point : index.Of(group)) {
      const Moment& moment = log.moments.rows[point.moment];
      if (IsPoint(moment.kind)) {
        queue.Wake(point);
      } else if (moment.WasEnded()) {
        queue.Add(point);
      }
    }
    MatchByTime(log, index.Of(group), matches);
  }
}

void MatchPipes(const CriticalLog& log, const PointIndex& index, Matches& matches) {
  for (const PointIndex::Group& group : index.groups()) {
    if (group.family != Family::kPipeRead || group.begin == group.end) continue;
    const std::span<const Point> reads = index.Of(group);
    const std::uint64_t inode = log.moments.rows[reads.front().moment].object;
    const auto writes = index.Of(Family::kPipeWritten, 0, inode);
    const auto closes = index.Of(Family::kPipeClosed, 0, inode);
    std::vector<std::uint64_t> written;
    Bytes writers(log);
    bool is_new = false;
    for (const Point& write : writes) written.push_back(writers.UpTo(write, is_new));
    Bytes readers(log);
    for (const Point& read : reads) {
      const std::uint64_t bytes = readers.UpTo(read, is_new);
      const auto found = std::lower_bound(written.begin(), written.end(), bytes);
      const Moment& wait = log.moments.rows[read.moment];
      if (is_new && found != written.end()) {
        const Point& write = writes[static_cast<std::size_t>(found - written.begin())];
        matches[read.moment] = write.moment;
        // An earlier write brought the bytes of a read that was not recorded: this read may have
        // met the end of the pipe.
        if (write.time_ns >= wait.start_ns - kWakerBeforeWaitNs || closes.empty()) continue;
      }
      const Point* close = LastPoint(closes, wait.start_ns - kWakerBeforeWaitNs,
                                     wait.end_ns + kWakerAfterWaitNs, read.thread);
      if (close != nullptr) matches[read.moment] = close->moment;
    }
  }
}

}  // namespace csink::critical

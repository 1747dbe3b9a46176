#include "profil/critical/point_index.h"

#include <algorithm>
#include <tuple>

#include "profil/reading/model/flat_index.h"

namespace csink::critical {
namespace {

Family FamilyOf(MomentKind kind) {
  switch (kind) {
    case MomentKind::kMutexUnlock:
      return Family::kMutex;
    case MomentKind::kReadWriteUnlock:
      return Family::kReadWriteLock;
    case MomentKind::kConditionWait:
    case MomentKind::kConditionSignal:
    case MomentKind::kConditionBroadcast:
      return Family::kCondition;
    case MomentKind::kSemaphoreWait:
    case MomentKind::kSemaphorePost:
      return Family::kSemaphore;
    case MomentKind::kFutexWait:
    case MomentKind::kFutexWake:
      return Family::kFutex;
    case MomentKind::kBarrierWait:
      return Family::kBarrier;
    case MomentKind::kPipeWritten:
      return Family::kPipeWritten;
    case MomentKind::kPipeClosed:
      return Family::kPipeClosed;
    case MomentKind::kPipeRead:
      return Family::kPipeRead;
    case MomentKind::kOpenMpStart:
      return Family::kOpenMpStart;
    case MomentKind::kOpenMpMemberEnd:
      return Family::kOpenMpMemberEnd;
    default:
      return Family::kOther;
  }
}

/// A hash of 64 bits stands for the object: of 10 million objects, two have the same one with a
/// probability of 3e-6, and then a wait may have a wrong waker.
std::uint64_t KeyOf(Family family, std::uint32_t process, std::uint64_t object) {
  const bool is_of_machine = family == Family::kPipeWritten || family == Family::kPipeClosed ||
                             family == Family::kPipeRead;
  const std::uint64_t owner = is_of_machine ? 0 : std::uint64_t{process} + 1;
  // A first number that spreads: Mix of two small numbers would be that of their exclusive or.
  constexpr std::uint64_t kFirst = 0x5bd1e9955bd1e995;
  return Mix(Mix(Mix(Mix(kFirst, static_cast<std::uint64_t>(family)), owner), object), 0);
}

}  // namespace

PointIndex::PointIndex(const CriticalLog& log) {
  struct Entry {
    std::uint64_t key;
    Point point;
    bool is_point;
  };
  std::vector<Entry> entries;
  for (std::uint32_t thread = 0; thread < log.threads.size(); ++thread) {
    for (std::size_t i = log.moments.begins[thread]; i < log.moments.begins[thread + 1]; ++i) {
      const Moment& moment = log.moments.rows[i];
      const Family family = FamilyOf(moment.kind);
      if (family == Family::kOther) continue;
      const std::int64_t time = family == Family::kPipeRead ? moment.end_ns : moment.start_ns;
      entries.push_back({KeyOf(family, log.threads[thread].process, moment.object),
                         {time, static_cast<std::uint32_t>(i), thread},
                         IsPoint(moment.kind)});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.key, a.point.time_ns, a.is_point, a.point.moment) <
           std::tuple(b.key, b.point.time_ns, b.is_point, b.point.moment);
  });
  points_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || entries[i].key != entries[i - 1].key) {
      group_of_key_.emplace(entries[i].key, groups_.size());
      groups_.push_back({FamilyOf(log.moments.rows[entries[i].point.moment].kind), i, i});
    }
    points_.push_back(entries[i].point);
    groups_.back().end = i + 1;
  }
}

std::span<const Point> PointIndex::Of(Family family, std::uint32_t process,
                                      std::uint64_t object) const {
  const auto found = group_of_key_.find(KeyOf(family, process, object));
  return found == group_of_key_.end() ? std::span<const Point>() : Of(groups_[found->second]);
}

const Point* LastPoint(std::span<const Point> points, std::int64_t begin, std::int64_t end,
                       std::uint32_t not_thread) noexcept {
  // The thread itself has few points of the object inside of its own wait for it.
  constexpr int kMostSteps = 64;
  const auto behind =
      std::upper_bound(points.begin(), points.end(), end,
                       [](std::int64_t time, const Point& point) { return time < point.time_ns; });
  std::size_t i = static_cast<std::size_t>(behind - points.begin());
  for (int steps = 0; i > 0 && steps < kMostSteps; ++steps) {
    const Point& point = points[--i];
    if (point.time_ns < begin) return nullptr;
    if (point.thread != not_thread) return &point;
  }
  return nullptr;
}

}  // namespace csink::critical

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "profil/critical/log.h"

/// File: the moments of each object by time.

namespace csink::critical {

/// What an object is: addresses of a mutex and of a condition variable are different objects.
enum class Family : std::uint8_t {
  kMutex,  ///< Unlocks
  kReadWriteLock,
  kCondition,  ///< Signals and the begins of waits, as the next two
  kSemaphore,
  kFutex,
  kBarrier,      ///< Begins of waits
  kPipeWritten,  ///< The following three by inode, of all processes
  kPipeClosed,
  kPipeRead,  ///< Ends of reads
  kOpenMpStart,
  kOpenMpMemberEnd,
  kOther,
};

/// Whether wakers of the family wake the oldest waiter first.
inline bool IsQueue(Family family) noexcept {
  return family == Family::kCondition || family == Family::kSemaphore || family == Family::kFutex;
}

/// A moment of an object.
struct Point {
  std::int64_t time_ns = 0;
  std::uint32_t moment = 0;  ///< Index into CriticalLog::moments.rows
  std::uint32_t thread = 0;
};

/// Threads: const access from any thread.
class PointIndex {
 public:
  struct Group {
    Family family = Family::kOther;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  explicit PointIndex(const CriticalLog& log);
  /// All of one object by time; of equal times waits come first.
  std::span<const Point> Of(Family family, std::uint32_t process, std::uint64_t object) const;
  std::span<const Point> Of(const Group& group) const {
    return {points_.data() + group.begin, group.end - group.begin};
  }
  /// An element an object.
  const std::vector<Group>& groups() const noexcept { return groups_; }

 private:
  std::vector<Point> points_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, std::size_t> group_of_key_;
};

/// The last point of another thread in [begin, end]; nullptr: none.
const Point* LastPoint(std::span<const Point> points, std::int64_t begin, std::int64_t end,
                       std::uint32_t not_thread) noexcept;

}  // namespace csink::critical

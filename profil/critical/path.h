#pragma once

#include <cstdint>
#include <vector>

#include "profil/critical/waits.h"

/// File: the critical path: which thread the end of the run waited for, at each moment.

namespace csink::critical {

enum class SegmentKind : std::uint8_t {
  kRun,       ///< The thread worked, or was preempted
  kWoken,     ///< Woken, but not running yet
  kStarting,  ///< Created, but not running yet
  kSleep,     ///< It waited for the outside
  kUnknown,   ///< It waited for something that is not known
};

/// A piece of the path.
struct Segment {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  SegmentKind kind = SegmentKind::kRun;
  MomentKind wait = MomentKind::kUnseenWait;  ///< Of kWoken, kSleep and kUnknown
  /// Of it: the path leads through this thread only because a waker was inferred, ns
  std::int64_t inferred_ns = 0;
};

/// The path from the end of the root thread back to its start: the last segment in time is first.
/// From each wait it continues in the thread that ended the wait. Empty without a root.
std::vector<Segment> WalkBack(const CriticalLog& log, const Waits& waits);

}  // namespace csink::critical

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profil/critical/log.h"

/// File: what ended each wait: the waits of every thread with the events that had to come before
/// their ends.

namespace csink::critical {

/// How the wakers of a wait are known.
enum class Known : std::uint8_t {
  kHook,      ///< Hooks noted them
  kInferred,  ///< One other thread alone ran at the end of the wait
  kOwn,       ///< The thread waited for nobody: it came last to a barrier
  kOutside,   ///< A sleep
  kNot,
};

/// Where in its thread a waker is.
enum class At : std::uint8_t { kStartOfMoment, kEndOfMoment, kEndOfThread, kTime };

/// An event that a wait, or the start of a thread, had to wait for.
struct Waker {
  std::int64_t time_ns = 0;
  std::uint32_t thread = kNone;
  std::uint32_t moment = kNone;  ///< Index into CriticalLog::moments.rows, for the first two of At
  At at = At::kTime;
};

struct Wait {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t object = 0;
  std::uint32_t moment = kNone;  ///< kNone: an unseen wait
  std::uint32_t first_waker = 0;
  std::uint32_t wakers = 0;
  MomentKind kind = MomentKind::kUnseenWait;
  Known known = Known::kNot;
};

/// A waker may be noted so much before the wait that it ends: the time is read, then the word of
/// the lock is changed.
inline constexpr std::int64_t kWakerBeforeWaitNs = 20'000;
/// A waker may be noted so much behind the end of the wait: it returned from the call later.
inline constexpr std::int64_t kWakerAfterWaitNs = 1'000'000;
/// Shorter waits are taken as work: the walk back and the inference pass over them.
inline constexpr std::int64_t kShortWaitNs = 10'000;

struct Waits {
  ByThread<Wait> waits;  ///< Disjoint, by time
  /// Those of waits, of each by time. Waits of one round of a barrier share theirs, with their own.
  std::vector<Waker> wakers;
  std::vector<Waker> creators;  ///< For each thread; thread kNone: not known

  std::span<const Waker> WakersOf(const Wait& wait) const noexcept {
    return {wakers.data() + wait.first_waker, wait.wakers};
  }
  /// The latest waker of another thread that may have ended the wait; nullptr: none.
  const Waker* LatestWaker(std::uint32_t thread, const Wait& wait) const noexcept;
};

/// Finds the wakers of all waits. A point of a pipe, a thread or a fork that was noted late is
/// moved in `log` to before what it caused. Time: n log n.
Waits ResolveWaits(CriticalLog& log);

}  // namespace csink::critical

#pragma once

#include <cstddef>
#include <cstdint>

namespace csink {

/// Ended threads without a sample, counted by their start routine: each was shorter than a sampling
/// period, but a thousand of them together are not.
///
/// Owns:    a fixed table of kRoutines entries; the last entry takes the threads of all routines
///          that find no room, and its start routine is 0.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (short_threads_signal.cpp); no system call.
class ShortThreadTable {
 public:
  /// Entries; the last one is for all further routines.
  static constexpr std::size_t kRoutines = 64;
  /// The ended threads of one start routine.
  struct Routine {
    /// Address given to pthread_create; 0: several
    std::uint64_t start_routine;
    std::uint64_t threads;   ///< Number of threads
    std::uint64_t cpu_ns;    ///< Their CPU time together
    std::uint32_t spool_id;  ///< spool::kNone: no record in the spool yet
  };

  /// Adds a thread that ended after `cpu_ns` of CPU time without a sample.
  void Add(std::uint64_t start_routine, std::uint64_t cpu_ns) noexcept;
  /// True if no such thread has ended.
  bool empty() const noexcept { return count_ == 0; }
  void Clear() noexcept { count_ = 0; }

  /// The entries; their spool_id may be set.
  Routine* begin() noexcept { return routines_; }
  Routine* end() noexcept { return routines_ + count_; }

 private:
  std::size_t count_ = 0;
  Routine routines_[kRoutines];
};

}  // namespace csink

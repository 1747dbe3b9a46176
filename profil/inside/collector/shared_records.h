#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/format/format.h"

namespace csink {

/// Decides which short threads share a record in the spool. A record and its buckets take 300 to
/// 700 bytes, so that a program with 100,000 short threads would get a spool of megabytes, whose
/// rows all look the same.
///
/// A thread is short if it lived less than TimeLine::kLeastThreadLifeNs, without the time that it
/// waited for a processor, and has no record before its end: no drain met it while it ran
/// (Collector::LeavesYoung). The first kOwnRecords of these of each start routine get a record of
/// their own; all further ones share one (spool::kThreadShared).
///
/// Owns:    a fixed table of kRoutines start routines. Threads of further ones share no record.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (shared_records_signal.cpp); no system call.
class SharedRecords {
 public:
  static constexpr std::size_t kRoutines = 64;
  static constexpr std::uint32_t kOwnRecords = 64;

  /// Counts a short thread that ends. `start_routine`: address given to
  /// pthread_create; 0: unknown. Returns where the id of the record that it shares is kept
  /// (spool::kNone: none was made yet; the caller stores it there), or nullptr: the thread gets a
  /// record of its own. The pointer is valid until Clear.
  std::uint32_t* CountEnded(std::uint64_t start_routine) noexcept;
  /// There is a new spool, or none.
  void Clear() noexcept { count_ = 0; }

 private:
  struct Routine {
    std::uint64_t start_routine;
    std::uint32_t own_records;  ///< Number of its short threads that have a record of their own
    std::uint32_t shared;       ///< Id of the record of the further ones
  };

  std::size_t count_ = 0;
  Routine routines_[kRoutines];
};

}  // namespace csink

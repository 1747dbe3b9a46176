#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/waiting/wait_kind.h"
#include "profil/format/format.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Finds the records of the spool that describe waiting, by their keys; each key has one record.
///
/// Owns:    hash tables, all zero at first (keep the object in mapped memory); the records are the
///          spool's. After the spool is gone, Clear must come before any other call.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (wait_tables_signal.cpp); may let the spool grow (system calls).
class WaitTables {
 public:
  /// Records of one process; further ones have no room.
  static constexpr std::uint32_t kMaxSites = 16 * 1024;
  static constexpr std::uint32_t kMaxLocks = 4 * 1024;
  static constexpr std::uint32_t kMaxHolders = 8 * 1024;

  /// A lock, and what was seen of it at the present moment.
  struct Lock {
    spool::LockRecord* record;
    std::uint32_t id;       ///< As WaitSiteRecord::lock
    std::uint64_t moment;   ///< The moment of the following fields
    std::uint32_t waiters;  ///< Blocked threads
    pid_t holder;           ///< 0: none, or not known
    FutexWaitCall call;     ///< By which the holder is found
    std::uint64_t taken_ns;
    double taken_squared;
  };

  /// The record with the key of `key` (thread, phase, pc, chain, kind, lock, descriptor, system
  /// call), added if it is new with the other fields 0. nullptr: there is no room.
  spool::WaitSiteRecord* Site(SpoolWriter& spool, const spool::WaitSiteRecord& key) noexcept;
  /// The lock at `first.address`, added as `first` if it is new. nullptr: there is no room.
  Lock* LockAt(SpoolWriter& spool, const spool::LockRecord& first) noexcept;
  /// The record with the key of `key` (lock, thread, tid, pc, chain, state), as Site.
  spool::HolderRecord* Holder(SpoolWriter& spool, const spool::HolderRecord& key) noexcept;

  /// Lock number `index`, in the order of their addition; `index` < lock_count().
  Lock& lock(std::uint32_t index) noexcept { return locks_[index]; }
  std::uint32_t lock_count() const noexcept { return locks_index_.count; }

  /// Forgets all records: the next spool has its own.
  void Clear() noexcept;

 private:
  /// A hash table of numbers from 1, with open addressing; 0: a free place.
  template <std::uint32_t kMax>
  struct Index {
    std::uint32_t count;
    std::uint32_t places[2 * kMax];
  };

  Index<kMaxSites> sites_index_;
  Index<kMaxLocks> locks_index_;
  Index<kMaxHolders> holders_index_;
  spool::WaitSiteRecord* sites_[kMaxSites];
  Lock locks_[kMaxLocks];
  spool::HolderRecord* holders_[kMaxHolders];
};

}  // namespace csink::agent

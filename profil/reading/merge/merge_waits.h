#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_callers.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// The waits of a merge. Places are matched by all members that are no sums, locks in modules by
/// module and address, other locks never.
/// Owns:    its rows until Take.
/// Threads: one owner.
class WaitTable {
 public:
  /// `max_callers`: as CallerTree.
  explicit WaitTable(std::size_t max_callers) noexcept : callers_(max_callers) {}

  /// Adds the waits of a spool. `threads`: rows by thread id (ThreadTable::Add). `phases`: phases
  /// by phase id; empty: not kept. `wanted`, by phase: only these places are added, without
  /// holders, because holders are not divided by phase; empty: all.
  void Add(const spool::Spool& spool, SpoolCode& code, const SpoolPython& python,
           std::span<const std::size_t> threads, std::span<const std::uint32_t> phases,
           const std::vector<bool>& wanted);
  /// Some waits have no callers, because the tree of callers was full.
  bool is_full() const noexcept { return callers_.is_full(); }
  /// The sums. Call this last.
  Waits Take();

 private:
  using SiteKey =
      std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t,
                 std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;
  using HolderKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                               std::uint64_t, std::uint32_t, std::uint32_t>;

  void AddObserver(const spool::Spool& spool);
  // The row of each lock of the spool, by lock id; entry 0 is kNoLock.
  std::vector<std::uint32_t> AddLocks(const spool::Spool& spool, SpoolCode& code,
                                      const std::vector<std::uint32_t>& callers, bool filtered);
  // The number of the process whose memory has the lock.
  std::uint32_t ProcessOf(const spool::LockRecord& record);
  void AddSite(WaitSite site);
  void AddHolder(WaitHolder holder);

  Waits waits_;
  bool has_machine_ = false;
  CallerTree callers_;
  std::map<SiteKey, std::size_t> site_index_;
  // By module and address
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> lock_index_;
  std::map<HolderKey, std::size_t> holder_index_;
  std::uint32_t spools_ = 0;
  // By number of the spool and LockRecord::process
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> processes_;
};

}  // namespace csink

#include "profil/reading/reader/waits.h"

#include <algorithm>
#include <cmath>

/// File: checks the records of waits. They are kept as they are in the file, so only indices, kinds
/// and sums are checked.

namespace csink::spool {
namespace {

/// Replaces what is not valid in one record, and remembers that it did.
class Checker {
 public:
  explicit Checker(const Spool& spool) : spool_(spool) {}

  /// A place in code. `pc` may be the address just behind the mapping, as that of a caller.
  void Place(std::uint32_t& region, std::uint64_t pc) {
    if (region == kNone) return;
    bool fits = region < spool_.regions.size();
    if (fits) {
      const Region& mapping = spool_.regions[region];
      fits = (mapping.flags & kRegionUnknown) != 0 || (pc >= mapping.start && pc <= mapping.end);
    }
    if (!fits) Replace(region, kNone);
  }
  /// A region of which only the module is used.
  void Module(std::uint32_t& region) {
    if (region != kNone && region >= spool_.regions.size()) Replace(region, kNone);
  }
  void Chain(std::uint32_t& chain) { AtMost(chain, spool_.chains.size()); }
  void Phase(std::uint32_t& phase) { AtMost(phase, spool_.phases.size()); }
  void Lock(std::uint32_t& lock) { AtMost(lock, spool_.waits.locks.size()); }
  void Thread(std::uint32_t& thread) {
    if (thread != kNone && thread >= spool_.threads.size()) Replace(thread, kNone);
  }
  /// Users take its root and divide by it. It may be wrong in the middle of a write, so no problem.
  void Square(double& sum) {
    if (!std::isfinite(sum) || sum < 0) sum = 0;
  }
  /// A later version may know more kinds.
  void Kind(WaitKind& kind) {
    if (static_cast<std::uint32_t>(kind) > static_cast<std::uint32_t>(WaitKind::kStopped)) {
      kind = WaitKind::kUnknown;
    }
  }
  bool changed() const { return changed_; }

 private:
  // Ids that are numbered from 1.
  void AtMost(std::uint32_t& id, std::size_t most) {
    if (id > most) Replace(id, 0);
  }
  void Replace(std::uint32_t& index, std::uint32_t by) {
    index = by;
    changed_ = true;
  }

  const Spool& spool_;
  bool changed_ = false;
};

/// Whether something was replaced. A live file may have records that are just being written.
bool CheckSite(const Spool& spool, WaitSiteRecord& site) {
  Checker check(spool);
  check.Place(site.region, site.pc);
  check.Chain(site.chain);
  check.Thread(site.thread);
  check.Phase(site.phase);
  check.Lock(site.lock);
  check.Kind(site.kind);
  check.Square(site.blocked_squared);
  // A later version may know more kinds.
  if (static_cast<std::uint32_t>(site.descriptor) >
      static_cast<std::uint32_t>(DescriptorKind::kOther)) {
    site.descriptor = DescriptorKind::kUnknown;
  }
  return check.changed();
}

/// The same for a lock. Its offset need not be checked: it is only looked up.
bool CheckLock(const Spool& spool, LockRecord& lock) {
  Checker check(spool);
  check.Module(lock.region);
  check.Place(lock.first_region, lock.first_pc);
  check.Chain(lock.first_chain);
  check.Kind(lock.kind);
  check.Square(lock.blocked_squared);
  return check.changed();
}

bool CheckHolder(const Spool& spool, HolderRecord& holder) {
  Checker check(spool);
  check.Place(holder.region, holder.pc);
  check.Chain(holder.chain);
  check.Thread(holder.thread);
  check.Lock(holder.lock);
  return check.changed();
}

}  // namespace

void CheckWaits(Spool& spool) {
  Waits& waits = spool.waits;
  const auto count = [&](bool changed) { spool.misplaced_waits += changed ? 1 : 0; };
  for (WaitSiteRecord& site : waits.sites) count(CheckSite(spool, site));
  for (LockRecord& lock : waits.locks) count(CheckLock(spool, lock));
  for (HolderRecord& holder : waits.holders) count(CheckHolder(spool, holder));
  // A holder of no lock says nothing.
  waits.holders.erase(std::remove_if(waits.holders.begin(), waits.holders.end(),
                                     [](const HolderRecord& holder) { return holder.lock == 0; }),
                      waits.holders.end());
}

}  // namespace csink::spool

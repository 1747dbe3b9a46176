#include "profil/reading/reader/waits.h"

#include <algorithm>

#include "profil/format/records.h"

/// File: checks the records of waits. They are kept as they are in the file, so only indices and
/// kinds are checked, by the roles of their fields.

namespace csink::spool {
namespace {

/// Whether an address lies in a region of the spool, or just behind it, as that of a caller may.
bool Fits(const Spool& spool, std::uint32_t region, std::uint64_t pc) {
  if (region >= spool.regions.size()) return false;
  const Region& mapping = spool.regions[region];
  return (mapping.flags & kRegionUnknown) != 0 || (pc >= mapping.start && pc <= mapping.end);
}

/// Whether this version has the kind.
bool IsKnown(WaitKind kind) {
  switch (kind) {
#define CSINK_WAIT_KIND(kind, ...) case WaitKind::kind:
#include "profil/format/wait_kinds.inc"
#undef CSINK_WAIT_KIND
    return true;
  }
  return false;
}

/// Makes the references of a record valid. Returns whether one was replaced: a live file may have
/// records that are just being written.
template <class T>
bool CheckReferencesOf(const Spool& spool, T& record) {
  bool changed = false;
  const auto replace = [&](std::uint32_t& id, std::uint32_t by) {
    id = by;
    changed = true;
  };
  // Ids that are numbered from 1.
  const auto at_most = [&](std::uint32_t& id, std::size_t most) {
    if (id > most) replace(id, 0);
  };
  std::uint64_t pc = 0;
  FieldsOf<T>::Each(record, [&](auto& field, const char*, auto role) {
    if constexpr (role() == FieldRole::kPc) {
      pc = field;
    } else if constexpr (role() == FieldRole::kPlace) {
      if (field != kNone && !Fits(spool, field, pc)) replace(field, kNone);
    } else if constexpr (role() == FieldRole::kRegion) {
      if (field != kNone && field >= spool.regions.size()) replace(field, kNone);
    } else if constexpr (role() == FieldRole::kThread) {
      if (field != kNone && field >= spool.threads.size()) replace(field, kNone);
    } else if constexpr (role() == FieldRole::kChain) {
      at_most(field, spool.chains.size());
    } else if constexpr (role() == FieldRole::kPhase) {
      at_most(field, spool.phases.size());
    } else if constexpr (role() == FieldRole::kLock) {
      at_most(field, spool.waits.locks.size());
    } else if constexpr (role() == FieldRole::kWaitKind) {
      if (!IsKnown(field)) field = WaitKind::kUnknown;
    } else if constexpr (role() == FieldRole::kDescriptorKind) {
      if (field > DescriptorKind::kOther) field = DescriptorKind::kUnknown;
    }
  });
  return changed;
}

}  // namespace

void CheckWaits(Spool& spool) {
  Waits& waits = spool.waits;
  const auto count = [&](bool changed) { spool.misplaced_waits += changed ? 1 : 0; };
  for (WaitSiteRecord& site : waits.sites) count(CheckReferencesOf(spool, site));
  for (LockRecord& lock : waits.locks) count(CheckReferencesOf(spool, lock));
  for (HolderRecord& holder : waits.holders) count(CheckReferencesOf(spool, holder));
  // A holder of no lock says nothing.
  waits.holders.erase(std::remove_if(waits.holders.begin(), waits.holders.end(),
                                     [](const HolderRecord& holder) { return holder.lock == 0; }),
                      waits.holders.end());
}

}  // namespace csink::spool

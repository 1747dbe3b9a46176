#include "agent/waiting/wait_tables.h"
#include "core/util/mix.h"

/// File: one hash table for each kind of record. Records are never removed one by one, so open
/// addressing needs no marks for deleted entries.

namespace csink::agent {
namespace {

// Joins a word to a hash; the order matters.
std::uint64_t Join(std::uint64_t hash, std::uint64_t word) noexcept {
  return MixBits(hash ^ word) + 0x9e3779b97f4a7c15ull;
}

// The other fields of a record are sums.
bool SameKey(const spool::WaitSiteRecord& a, const spool::WaitSiteRecord& b) noexcept {
  return a.pc == b.pc && a.region == b.region && a.chain == b.chain && a.thread == b.thread &&
         a.phase == b.phase && a.lock == b.lock && a.kind == b.kind &&
         a.descriptor == b.descriptor && a.system_call == b.system_call;
}

std::uint64_t Hash(const spool::WaitSiteRecord& key) noexcept {
  std::uint64_t hash = Join(key.pc, key.region);
  hash = Join(hash, std::uint64_t{key.chain} << 32 | key.thread);
  hash = Join(hash, std::uint64_t{key.phase} << 32 | key.lock);
  hash = Join(hash, static_cast<std::uint64_t>(key.kind) << 32 |
                        static_cast<std::uint64_t>(key.descriptor));
  return Join(hash, static_cast<std::uint32_t>(key.system_call));
}

bool SameKey(const spool::HolderRecord& a, const spool::HolderRecord& b) noexcept {
  return a.lock == b.lock && a.thread == b.thread && a.pc == b.pc && a.region == b.region &&
         a.chain == b.chain && a.state == b.state && a.tid == b.tid;
}

std::uint64_t Hash(const spool::HolderRecord& key) noexcept {
  std::uint64_t hash = Join(key.pc, key.region);
  hash = Join(hash, std::uint64_t{key.chain} << 32 | key.thread);
  // The states are 1 to 3.
  return Join(hash, std::uint64_t{key.lock} << 32 | (key.tid * 4 + key.state));
}

// The number (from 1) of the entry for which `is_it` is true. If there is none, `make` adds one and
// returns whether there was room. 0: no room.
template <class Index, class IsIt, class Make>
std::uint32_t FindOrMake(Index& index, std::uint64_t hash, std::uint32_t most, IsIt&& is_it,
                         Make&& make) noexcept {
  const std::uint32_t places = 2 * most;
  // At most half of the places are used, so the search ends.
  for (std::uint64_t at = hash % places;; at = (at + 1) % places) {
    const std::uint32_t number = index.places[at];
    if (number != 0) {
      if (is_it(number - 1)) return number;
      continue;
    }
    if (index.count == most || !make(index.count)) return 0;
    index.places[at] = ++index.count;
    return index.count;
  }
}

}  // namespace

spool::WaitSiteRecord* WaitTables::Site(SpoolWriter& spool,
                                        const spool::WaitSiteRecord& key) noexcept {
  const std::uint32_t number = FindOrMake(
      sites_index_, Hash(key), kMaxSites, [&](std::uint32_t i) { return SameKey(*sites_[i], key); },
      [&](std::uint32_t i) {
        // A full spool gives kNone, for which there is no record.
        sites_[i] = spool.At<spool::WaitSiteRecord>(spool.Add(key));
        return sites_[i] != nullptr;
      });
  return number == 0 ? nullptr : sites_[number - 1];
}

WaitTables::Lock* WaitTables::LockAt(SpoolWriter& spool, const spool::LockRecord& first) noexcept {
  const std::uint32_t number = FindOrMake(
      locks_index_, MixBits(first.address), kMaxLocks,
      [&](std::uint32_t i) { return locks_[i].record->address == first.address; },
      [&](std::uint32_t i) {
        const std::uint32_t id = spool.Add(first);
        // The entry may be one of a spool that is gone (Clear).
        locks_[i] = {};
        locks_[i].id = id;
        locks_[i].record = spool.At<spool::LockRecord>(id);
        return locks_[i].record != nullptr;
      });
  return number == 0 ? nullptr : &locks_[number - 1];
}

spool::HolderRecord* WaitTables::Holder(SpoolWriter& spool,
                                        const spool::HolderRecord& key) noexcept {
  const std::uint32_t number = FindOrMake(
      holders_index_, Hash(key), kMaxHolders,
      [&](std::uint32_t i) { return SameKey(*holders_[i], key); },
      [&](std::uint32_t i) {
        holders_[i] = spool.At<spool::HolderRecord>(spool.Add(key));
        return holders_[i] != nullptr;
      });
  return number == 0 ? nullptr : holders_[number - 1];
}

void WaitTables::Clear() noexcept {
  // Only what was used needs to be zero again: the indices, and locks_ is written when it is added.
  __builtin_memset(&sites_index_, 0, sizeof sites_index_);
  __builtin_memset(&locks_index_, 0, sizeof locks_index_);
  __builtin_memset(&holders_index_, 0, sizeof holders_index_);
}

}  // namespace csink::agent

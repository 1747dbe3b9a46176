#include "profil/reading/merge/merge_waits.h"

#include <algorithm>

#include "profil/reading/merge/merge_threads.h"
#include "profil/reading/model/saturating.h"

/// File: waits of several spools. Their callers are a tree of their own: a program may be observed
/// without stacks of its samples, and then the report must not show samples as if their callers had
/// been lost.

namespace csink {
namespace {

/// The thread's row; kNoThread: it has none.
std::uint32_t RowOf(std::span<const std::size_t> threads, std::uint32_t thread) {
  if (thread >= threads.size() || threads[thread] == ThreadTable::kNobody) return kNoThread;
  return static_cast<std::uint32_t>(threads[thread]);
}

/// The chains of all records of waits.
std::vector<bool> WantedChains(const spool::Spool& spool) {
  std::vector<bool> wanted = ChainsOf(spool, spool.waits.sites, &spool::WaitSiteRecord::chain);
  const auto locks = ChainsOf(spool, spool.waits.locks, &spool::LockRecord::first_chain);
  const auto holders = ChainsOf(spool, spool.waits.holders, &spool::HolderRecord::chain);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = wanted[i] || locks[i] || holders[i];
  }
  return wanted;
}

/// The node of a chain; 0: not known, or the spool has no chains.
std::uint32_t CallerOf(const std::vector<std::uint32_t>& callers, std::uint32_t chain) {
  return callers.empty() ? 0 : callers[chain];
}

}  // namespace

void WaitTable::AddObserver(const spool::Spool& spool) {
  const spool::WaitObserver& more = spool.header.waits;
  // The process was not observed.
  if (more.state == 0) return;
  spool::WaitObserver& sum = waits_.observer;
  // A merged file has one release for all of its locks.
  if (sum.state == 0) sum.glibc = more.glibc;
  if (sum.glibc != more.glibc) sum.glibc = 0;
  // Stopped is the larger number: one observer that stopped early is shown.
  sum.state = std::max(sum.state, more.state);
  if (sum.stopped_errno == 0) sum.stopped_errno = more.stopped_errno;
  using Member = std::uint64_t spool::WaitObserver::*;
  for (const Member member :
       {&spool::WaitObserver::moments, &spool::WaitObserver::looks, &spool::WaitObserver::moved,
        &spool::WaitObserver::cut, &spool::WaitObserver::no_site, &spool::WaitObserver::no_lock,
        &spool::WaitObserver::no_site_ns, &spool::WaitObserver::folded,
        &spool::WaitObserver::cpu_ns, &spool::WaitObserver::blocked_ns}) {
    AddTo(sum.*member, more.*member);
  }
  const std::uint64_t threads = std::uint64_t{sum.threads} + more.threads;
  sum.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 0xffffffff));
  // The largest number of one process; processes are not observed at the same moments.
  sum.most_threads = std::max(sum.most_threads, more.most_threads);
}

std::vector<std::uint32_t> WaitTable::AddLocks(const spool::Spool& spool, SpoolCode& code,
                                               const std::vector<std::uint32_t>& callers,
                                               bool filtered) {
  ++spools_;
  std::vector<std::uint32_t> row_of = {kNoLock};
  for (const spool::LockRecord& record : spool.waits.locks) {
    const std::uint32_t module = code.ModuleIndexOf(record.region);
    // Locks on a heap or a stack get rows of their own: equal addresses of two processes mean
    // nothing.
    auto row = static_cast<std::uint32_t>(waits_.locks.size());
    if (module != kNoModule)
      row = lock_index_.emplace(std::pair(module, record.offset), row).first->second;
    // The first place and kind that are found describe the lock.
    if (row == waits_.locks.size()) {
      WaitLock lock;
      lock.module = module;
      // In a module the offset is the same in all processes; elsewhere the address is all there is.
      lock.address = module != kNoModule ? record.offset : record.address;
      lock.kind = record.kind;
      lock.first = code.AddressOrUnknown(record.first_region, record.first_pc);
      lock.first_caller = CallerOf(callers, record.first_chain);
      lock.operation_plus_one = record.operation_plus_one;
      lock.expected = record.expected;
      lock.glibc = spool.header.waits.glibc;
      lock.process = ProcessOf(record);
      waits_.locks.push_back(lock);
    }
    row_of.push_back(row);
    // The sums of a lock are those of the whole run; with a mark, the places have the sums.
    if (filtered) continue;
    WaitLock& lock = waits_.locks[row];
    AddTo(lock.looks, record.looks);
    AddTo(lock.blocked_ns, record.blocked_ns);
    lock.blocked_squared += record.blocked_squared;
    AddTo(lock.moments, record.moments);
    lock.most_waiters = std::max<std::uint64_t>(lock.most_waiters, record.most_waiters);
    AddTo(lock.known_holders, record.known_holders);
  }
  return row_of;
}

std::uint32_t WaitTable::ProcessOf(const spool::LockRecord& record) {
  const auto next = static_cast<std::uint32_t>(processes_.size()) + 1;
  return processes_.emplace(std::pair(spools_, record.process), next).first->second;
}

void WaitTable::AddSite(WaitSite site) {
  const SiteKey key{site.address.module,
                    site.address.offset,
                    site.caller,
                    site.phase,
                    site.thread,
                    site.lock,
                    static_cast<std::uint32_t>(site.kind),
                    static_cast<std::uint32_t>(site.descriptor),
                    site.system_call};
  const auto [it, is_new] = site_index_.emplace(key, waits_.sites.size());
  if (is_new) {
    waits_.sites.push_back(site);
    return;
  }
  WaitSite& sum = waits_.sites[it->second];
  AddTo(sum.looks, site.looks);
  AddTo(sum.blocked_ns, site.blocked_ns);
  sum.blocked_squared += site.blocked_squared;
  // The only number of a place that is no sum.
  sum.longest_ns = std::max(sum.longest_ns, site.longest_ns);
}

void WaitTable::AddHolder(WaitHolder holder) {
  const HolderKey key{holder.lock,           holder.thread, holder.tid,  holder.address.module,
                      holder.address.offset, holder.caller, holder.state};
  const auto [it, is_new] = holder_index_.emplace(key, waits_.holders.size());
  if (is_new) {
    waits_.holders.push_back(holder);
    return;
  }
  AddTo(waits_.holders[it->second].looks, holder.looks);
  AddTo(waits_.holders[it->second].blocked_ns, holder.blocked_ns);
}

void WaitTable::Add(const spool::Spool& spool, SpoolCode& code, const SpoolPython& python,
                    std::span<const std::size_t> threads, std::span<const std::uint32_t> phases,
                    const std::vector<bool>& wanted) {
  AddObserver(spool);
  const spool::Waits& waits = spool.waits;
  if (waits.sites.empty()) return;
  // Numbers of system calls mean nothing without the machine.
  if (has_machine_ && waits_.machine != spool.header.elf_machine) waits_.machine = 0;
  if (!has_machine_) waits_.machine = spool.header.elf_machine;
  has_machine_ = true;
  const bool filtered = !wanted.empty();
  std::vector<std::uint32_t> callers;
  if (!spool.chains.empty()) callers = callers_.Add(spool, code, python, WantedChains(spool));
  const std::vector<std::uint32_t> locks = AddLocks(spool, code, callers, filtered);
  for (const spool::WaitSiteRecord& record : waits.sites) {
    // A record of a running process that was added just now has no numbers yet.
    if (record.looks == 0) continue;
    WaitSite site;
    site.phase = phases.empty() ? 0 : phases[record.phase];
    if (filtered && (site.phase >= wanted.size() || !wanted[site.phase])) continue;
    site.address = code.AddressOrUnknown(record.region, record.pc);
    site.caller = CallerOf(callers, record.chain);
    site.thread = RowOf(threads, record.thread);
    site.lock = locks[record.lock];
    site.kind = record.kind;
    site.descriptor = record.descriptor;
    site.system_call = record.system_call;
    site.looks = record.looks;
    site.blocked_ns = record.blocked_ns;
    site.blocked_squared = record.blocked_squared;
    site.longest_ns = record.longest_ns;
    if (filtered && site.lock != kNoLock) {
      WaitLock& lock = waits_.locks[site.lock];
      AddTo(lock.looks, site.looks);
      AddTo(lock.blocked_ns, site.blocked_ns);
      lock.blocked_squared += site.blocked_squared;
    }
    AddSite(site);
  }
  // Holders are not divided by mark.
  if (filtered) return;
  for (const spool::HolderRecord& record : waits.holders) {
    if (record.looks == 0) continue;
    WaitHolder holder;
    // CheckWaits has left out holders of unknown locks.
    holder.lock = locks[record.lock];
    holder.thread = RowOf(threads, record.thread);
    holder.tid = record.tid;
    // 0: the place of a running thread is not known.
    if (record.pc != 0) holder.address = code.AddressOrUnknown(record.region, record.pc);
    holder.caller = CallerOf(callers, record.chain);
    holder.state = record.state;
    holder.looks = record.looks;
    holder.blocked_ns = record.blocked_ns;
    AddHolder(holder);
  }
}

Waits WaitTable::Take() {
  waits_.callers = callers_.Take();
  return std::move(waits_);
}

}  // namespace csink

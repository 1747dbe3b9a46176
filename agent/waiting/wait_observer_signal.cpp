#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include <cstring>
#include <new>

#include "agent/waiting/descriptor_kind.h"
#include "agent/waiting/lock_place.h"
#include "agent/waiting/wait_observer.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"

/// File: one moment of the observer. First each thread is looked at, with the collector's lock held
/// for one thread at a time (1 us for a thread that stands, 10 to 20 us for one that has moved).
/// Then the locks that threads wait for are settled: for each lock the holder that its first waiter
/// has read is compared with the present one, and the holder's own look of this moment says where
/// it is.

namespace csink::agent {
namespace {

using spool::WaitKind;

// A drain may hold the lock for some milliseconds; longer than this, the moment is given up.
constexpr std::uint64_t kLockNs = 100'000'000;
// Moments at which no file of any thread can be read, before the observation stops.
constexpr unsigned kMostFailedMoments = 5;
// The lines of threads take this part of the files that may stay open.
constexpr std::size_t kLinesPart = 4;
// States of HolderRecord.
constexpr std::uint32_t kHolderRan = 1;
constexpr std::uint32_t kHolderBlocked = 2;
constexpr std::uint32_t kOnlyRunner = 3;
// States of spool::WaitObserver.
constexpr std::uint32_t kObserved = 1;
constexpr std::uint32_t kStopped = 2;

// CPU time of the calling thread. By a raw system call: the thread has no vDSO of the C library.
std::uint64_t ThreadCpuNs() noexcept {
  timespec t = {};
  if (RawSyscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, SyscallArg(&t)) != 0) return 0;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

bool HasHolder(WaitKind kind) noexcept {
  return kind == WaitKind::kMutex || kind == WaitKind::kReadLock || kind == WaitKind::kWriteLock ||
         kind == WaitKind::kJoin;
}

template <class T>
void AddLive(T& field, T value) noexcept {
  StoreLive(field, static_cast<T>(field + value));
}

}  // namespace

void WaitObserver::Begin(pid_t tid) noexcept {
  if (state_ == nullptr) {
    const long r = RawSyscall(SYS_mmap, 0, sizeof(State), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r < 0 && r > -4096) {
      complaint_ = "not enough memory to observe blocked threads: CSINK_WAIT has no effect";
      return;
    }
    state_ = reinterpret_cast<State*>(r);
  } else {
    // A forked child: descriptors and records are the parent's.
    RawSyscall(SYS_madvise, SyscallArg(state_), sizeof(State), MADV_DONTNEED);
  }
  new (&state_->memory) OwnMemory;
  tid_ = tid;
  sums_ = {};
  epoch_ = collector_.epoch();
  moment_ = 0;
  kept_files_ = 0;
  most_files_ = MostKeptFiles();
  unplaced_from_ = 0;
  rebase_ = false;
  failed_moments_ = 0;
  begin_ns_ = MonotonicNs();
  cpu_ns_ = ThreadCpuNs();
  clock_.Start(begin_ns_ ^ static_cast<std::uint64_t>(tid) << 40);
  next_ns_ = begin_ns_ + clock_.NextNs();
}

std::uint64_t WaitObserver::NextNs(std::uint64_t now_ns) const noexcept {
  if (next_ns_ == kNever) return kNever;
  return next_ns_ > now_ns ? next_ns_ - now_ns : 0;
}

bool WaitObserver::Enter() noexcept {
  if (!collector_.lock().Lock(tid_, kLockNs)) return false;
  if (!process_.active() || process_.ending() || process_.sandboxed() || collector_.frozen()) {
    Leave();
    return false;
  }
  if (collector_.epoch() != epoch_) ForgetRecords();
  return true;
}

void WaitObserver::ForgetRecords() noexcept {
  epoch_ = collector_.epoch();
  state_->tables.Clear();
  unplaced_from_ = 0;
  touched_ = 0;
  sums_ = {};
  Rebase();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    if (state_->watched[i].tid != 0) ++sums_.threads;
  }
}

void WaitObserver::Rebase() noexcept {
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    state_->watched[i].account.Stop();
    state_->watched[i].stands = false;
    state_->watched[i].lock = 0;
  }
}

void WaitObserver::Moment() noexcept {
  if (state_ == nullptr || next_ns_ == kNever) return;
  if (collector_.pauses().pausing()) {
    rebase_ = true;
    return Schedule();
  }
  if (!Enter()) return Schedule();
  if (rebase_) Rebase();
  rebase_ = false;
  if (!spool_.open() && MonotonicNs() - begin_ns_ >= kSpoolAfterNs) collector_.EnsureSpool();
  Leave();

  ++moment_;
  touched_ = 0;
  runners_ = 0;
  read_any_ = false;
  last_error_ = 0;
  std::uint32_t threads = 0;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    Watched& watched = state_->watched[i];
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive || tid == 0) {
      if (watched.tid != 0) Drop(watched);
      continue;
    }
    ++threads;
    if (!Enter()) return Schedule();
    Look(i, slot, tid);
    if (state_->watched[i].found == Watched::Found::kRunning) {
      ++runners_;
      runner_ = i;
    }
    Leave();
  }
  failed_moments_ = read_any_ || last_error_ == 0 ? 0 : failed_moments_ + 1;
  if (!Enter()) return Schedule();
  SettleLocks();
  PlaceOneLock();
  const std::uint64_t cpu = ThreadCpuNs();
  const std::uint64_t cost = cpu - cpu_ns_;
  cpu_ns_ = cpu;
  clock_.NoteCost(cost, threads);
  collector_.accounts().AddOwnCost(cost);
  sums_.cpu_ns += cost;
  ++sums_.moments;
  sums_.state = kObserved;
  if (threads > sums_.most_threads) sums_.most_threads = threads;
  sums_.last_monotonic_ns = MonotonicNs();
  if (sums_.start_monotonic_ns == 0) sums_.start_monotonic_ns = sums_.last_monotonic_ns;
  if (failed_moments_ == kMostFailedMoments) {
    Stop(last_error_);
  } else {
    Schedule();
  }
  StoreHeader();
  Leave();
}

void WaitObserver::Schedule() noexcept { next_ns_ = MonotonicNs() + clock_.NextNs(); }

void WaitObserver::Stop(int error) noexcept {
  next_ns_ = kNever;
  sums_.state = kStopped;
  sums_.stopped_errno = static_cast<std::uint32_t>(error);
  complaint_ = error == ENOTSUP
                   ? "blocked threads are not observed: this kernel keeps no times of threads "
                     "(/proc/self/task/*/schedstat)"
                   : "blocked threads are not observed: /proc/self/task/*/schedstat and "
                     "/proc/self/task/*/syscall cannot be read";
}

void WaitObserver::NoteSandbox() noexcept {
  if (state_ == nullptr || next_ns_ == kNever) return;
  next_ns_ = kNever;
  sums_.state = kStopped;
  sums_.stopped_errno = EPERM;
  // In a sandbox no request can discard the spool, so the lock is not needed.
  StoreHeader();
}

void WaitObserver::StoreHeader() noexcept {
  if (!spool_.open()) return;
  spool::WaitObserver& out = spool_.header().waits;
  StoreLive(out.stopped_errno, sums_.stopped_errno);
  StoreLive(out.state, sums_.state);
  StoreLive(out.moments, sums_.moments);
  StoreLive(out.looks, sums_.looks);
  StoreLive(out.moved, sums_.moved);
  StoreLive(out.cut, sums_.cut);
  StoreLive(out.no_site, sums_.no_site);
  StoreLive(out.no_lock, sums_.no_lock);
  StoreLive(out.no_site_ns, sums_.no_site_ns);
  StoreLive(out.folded, sums_.folded);
  StoreLive(out.cpu_ns, sums_.cpu_ns);
  StoreLive(out.blocked_ns, sums_.blocked_ns);
  StoreLive(out.start_monotonic_ns, sums_.start_monotonic_ns);
  StoreLive(out.last_monotonic_ns, sums_.last_monotonic_ns);
  StoreLive(out.threads, sums_.threads);
  StoreLive(out.most_threads, sums_.most_threads);
}

void WaitObserver::Drop(Watched& watched) noexcept {
  kept_files_ -= watched.files.open();
  watched.files.Close();
  watched = {};
}

void WaitObserver::NoteFailure(Watched& watched, long error) noexcept {
  // A thread that ends is no failure; a list of threads that is not there at all is one.
  last_error_ = error == -ESRCH ? last_error_ : static_cast<int>(-error);
  const pid_t tid = watched.tid;
  Drop(watched);
  watched.tid = tid;
}

bool WaitObserver::ReadTimes(Watched& watched, ThreadTimes& times) noexcept {
  char text[80];
  const bool had = watched.files.times_plus_one != 0;
  const long got = ThreadFiles::Read(watched.files.times_plus_one, kept_files_ < most_files_,
                                     watched.tid, "schedstat", text, sizeof text);
  if (!had && watched.files.times_plus_one != 0) ++kept_files_;
  if (got < 0) return NoteFailure(watched, got), false;
  const Result<ThreadTimes> parsed = ParseThreadTimes({text, static_cast<std::size_t>(got)});
  // Three zeros: a thread that has had no turn yet, or a kernel that does not keep these numbers.
  if (!parsed) return NoteFailure(watched, -ENOTSUP), false;
  times = *parsed;
  return true;
}

bool WaitObserver::ReadLine(Watched& watched, SyscallLine& line) noexcept {
  char text[256];
  const bool had = watched.files.syscall_plus_one != 0;
  // Every look reads the times, but only a thread that has moved needs its line. Where not all
  // files can stay open, those with the times do.
  const long got =
      ThreadFiles::Read(watched.files.syscall_plus_one, kept_files_ < most_files_ / kLinesPart,
                        watched.tid, "syscall", text, sizeof text);
  if (!had && watched.files.syscall_plus_one != 0) ++kept_files_;
  if (got < 0) return NoteFailure(watched, got), false;
  const Result<SyscallLine> parsed = ParseSyscallLine({text, static_cast<std::size_t>(got)});
  if (!parsed) return NoteFailure(watched, -EINVAL), false;
  line = *parsed;
  read_any_ = true;
  return true;
}

void WaitObserver::Look(std::size_t index, ThreadSlot& slot, pid_t tid) noexcept {
  // A slot changes its thread under the lock only; it may have done so since it was read.
  if (slot.state.load(std::memory_order_acquire) != SlotState::kLive ||
      slot.tid.load(std::memory_order_relaxed) != tid) {
    return;
  }
  Watched& watched = state_->watched[index];
  if (watched.tid != tid) {
    if (watched.tid != 0) Drop(watched);
    watched.tid = tid;
    ++sums_.threads;
  }
  watched.moment = moment_;
  watched.found = Watched::Found::kNothing;
  ThreadTimes times;
  if (!ReadTimes(watched, times)) return;
  std::uint64_t now = MonotonicNs();
  if (!watched.account.started()) {
    watched.account.Start(now, times);
    watched.stands = false;
  }
  // Without a turn a blocked thread cannot have moved: its place is known without another read.
  if (watched.stands && times.turns == watched.turns && spool_.open()) {
    read_any_ = true;
    sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
    watched.found = Watched::Found::kBlocked;
    return Count(slot, watched, now, true);
  }
  watched.stands = false;
  watched.lock = 0;
  SyscallLine line;
  if (!ReadLine(watched, line)) return;
  watched.turns = times.turns;
  if (line.running || !spool_.open()) {
    sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
    if (line.running) watched.found = Watched::Found::kRunning;
    return;
  }
  const bool stood = FindPlace(slot, watched, line, times, now);
  // The file may have been lost meanwhile: the thread has ended.
  if (!watched.account.started()) return;
  watched.stands = stood;
  watched.turns = times.turns;
  watched.stands_since_ns = now;
  watched.found = Watched::Found::kBlocked;
  if (!stood) ++sums_.moved;
  sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
  Count(slot, watched, now, false);
}

bool WaitObserver::FindPlace(ThreadSlot& slot, Watched& watched, const SyscallLine& line,
                             ThreadTimes& times, std::uint64_t& now_ns) noexcept {
  state_->memory.Forget();
  std::size_t stack_bytes =
      state_->memory.ReadSome(line.stack_pointer, state_->stack, kFirstStackBytes);
  CallFacts facts = FactsOfCall(line);
  FutexObject object;
  watched.call = {};
  if (facts.is_futex) {
    watched.call = FutexWaitOf(line);
    if (watched.call.address != 0) {
      object = ReadFutex(watched.call);
      facts.kind = object.kind;
    }
  }
  if (std::int32_t polled = -1;
      facts.poll_list != 0 && state_->memory.Read(facts.poll_list, polled)) {
    facts.descriptor = polled;
  }
  const spool::DescriptorKind descriptor = facts.descriptor < 0
                                               ? spool::DescriptorKind::kUnknown
                                               : KindOfDescriptor(watched.tid, facts.descriptor);
  // The proof that all of this was one moment.
  SyscallLine again;
  ThreadTimes after;
  if (!ReadLine(watched, again) || !ReadTimes(watched, after)) return false;
  const bool stood = again == line && after.turns == times.turns;
  if (stood) {
    times = after;
    now_ns = MonotonicNs();
  }

  spool::WaitSiteRecord key = {};
  key.pc = line.pc;
  key.region = collector_.RegionFor(line.pc);
  key.thread = collector_.ThreadRecordOf(slot);
  key.kind = facts.kind;
  key.descriptor = descriptor;
  key.system_call = static_cast<std::int32_t>(line.number);
  // A thread that has moved on has perhaps used its stack since: its callers are not known. Callers
  // that it had before at the same stack pointer are often others.
  bool cut = false;
  key.chain = stood ? ChainOf(line, stack_bytes, cut) : NoChain();
  if (cut && stack_bytes == kFirstStackBytes) {
    stack_bytes = state_->memory.ReadSome(line.stack_pointer, state_->stack, kStackBytes);
    if (!ReadLine(watched, again) || !ReadTimes(watched, after)) return false;
    if (again == line && after.turns == times.turns) key.chain = ChainOf(line, stack_bytes, cut);
  }
  if (cut) ++sums_.cut;
  if (watched.call.address != 0) {
    spool::LockRecord first = {};
    first.address = object.address;
    first.region = spool::kNone;
    first.kind = object.kind;
    first.first_pc = key.pc;
    first.first_region = key.region;
    first.first_chain = key.chain;
    if (WaitTables::Lock* lock = state_->tables.LockAt(spool_, first)) {
      key.lock = lock->id;
      watched.lock = static_cast<std::uint32_t>(lock - &state_->tables.lock(0)) + 1;
      // Between two holders a word may be too little to recognise its object.
      if (lock->record->kind == WaitKind::kFutex) {
        StoreLive(lock->record->kind, object.kind);
      } else if (object.kind == WaitKind::kFutex) {
        key.kind = lock->record->kind;
      }
      if (lock->moment != moment_) {
        lock->moment = moment_;
        lock->waiters = 0;
        lock->taken_ns = 0;
        lock->taken_squared = 0;
        lock->holder = object.holder;
        lock->call = watched.call;
        if (touched_ < kMostTouched) state_->touched[touched_++] = watched.lock - 1;
      }
    } else {
      ++sums_.no_lock;
    }
  }
  watched.site = key;
  return stood;
}

std::uint32_t WaitObserver::ChainOf(const SyscallLine& line, std::size_t bytes,
                                    bool& cut) noexcept {
  CallerChains* chains = collector_.chains();
  if (chains == nullptr) return 0;
  // Only stack pointer and PC are known.
  StackSample& sample = state_->sample;
  sample.pc = line.pc;
  sample.period = 0;
  sample.has_registers = true;
  std::memset(sample.registers, 0, sizeof sample.registers);
  sample.registers[kStackPointerRegister] = line.stack_pointer;
  sample.registers[kPcRegister] = line.pc;
  sample.address_count = 0;
  sample.stack = state_->stack;
  sample.stack_rest = nullptr;
  sample.stack_bytes = sample.stack_first_bytes = static_cast<std::uint32_t>(bytes & ~7ull);
  chains->facts().Begin(regions_, true);
  WalkCallers(sample, chains->facts(), nullptr, state_->callers, FramePointer::kUnknown);
  chains->facts().End();
  return chains->ChainOf(state_->callers, regions_, spool_, true, cut);
}

std::uint32_t WaitObserver::NoChain() noexcept {
  CallerChains* chains = collector_.chains();
  if (chains == nullptr) return 0;
  state_->callers.Clear();
  state_->callers.cut = true;
  bool cut = false;
  return chains->ChainOf(state_->callers, regions_, spool_, true, cut);
}

bool WaitObserver::IsOurs(pid_t tid, void* arg) noexcept {
  return static_cast<WaitObserver*>(arg)->registry_.Find(tid) != nullptr;
}

FutexObject WaitObserver::ReadFutex(const FutexWaitCall& call) noexcept {
  FutexMemory around;
  state_->memory.Forget();
  // The words behind may belong to a page that is not mapped; the futex word itself is.
  for (std::size_t i = 0; i < 8; ++i) {
    if (!state_->memory.Read(call.address + 4 * i, around.at[i])) break;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!state_->memory.Read(call.address - 12 + 4 * i, around.before[i])) around.before[i] = 0;
  }
  return JudgeFutex(call, around, IsOurs, this);
}

void WaitObserver::Touch(Watched& watched, std::uint64_t taken_ns, bool exact) noexcept {
  WaitTables::Lock& lock = state_->tables.lock(watched.lock - 1);
  if (lock.moment != moment_) {
    lock.moment = moment_;
    lock.waiters = 0;
    lock.taken_ns = 0;
    lock.taken_squared = 0;
    lock.call = watched.call;
    lock.holder = HasHolder(lock.record->kind) ? ReadFutex(watched.call).holder : 0;
    if (touched_ < kMostTouched) state_->touched[touched_++] = watched.lock - 1;
  }
  ++lock.waiters;
  lock.taken_ns += taken_ns;
  if (!exact) lock.taken_squared += static_cast<double>(taken_ns) * static_cast<double>(taken_ns);
}

void WaitObserver::Count(ThreadSlot& slot, Watched& watched, std::uint64_t now_ns,
                         bool exact) noexcept {
  const std::uint64_t taken = watched.account.Take();
  ++sums_.looks;
  collector_.accounts().CountWait();
  watched.site.thread = collector_.ThreadRecordOf(slot);
  watched.site.phase = collector_.phase().id();
  if (watched.site.thread == spool::kMergedThread) ++sums_.folded;
  if (watched.lock != 0) Touch(watched, taken, exact);
  spool::WaitSiteRecord* site = state_->tables.Site(spool_, watched.site);
  if (site == nullptr) {
    ++sums_.no_site;
    sums_.no_site_ns += taken;
    return;
  }
  AddLive<std::uint64_t>(site->looks, 1);
  AddLive(site->blocked_ns, taken);
  if (!exact) {
    AddLive(site->blocked_squared, static_cast<double>(taken) * static_cast<double>(taken));
  }
  const std::uint64_t stood = now_ns - watched.stands_since_ns;
  if (exact && stood > site->longest_ns) StoreLive(site->longest_ns, stood);
}

void WaitObserver::SettleLocks() noexcept {
  for (std::size_t i = 0; i < touched_; ++i) {
    WaitTables::Lock& lock = state_->tables.lock(state_->touched[i]);
    if (lock.waiters == 0) continue;
    spool::LockRecord& record = *lock.record;
    AddLive<std::uint64_t>(record.looks, lock.waiters);
    AddLive(record.blocked_ns, lock.taken_ns);
    AddLive(record.blocked_squared, lock.taken_squared);
    AddLive<std::uint64_t>(record.moments, 1);
    if (lock.waiters > record.most_waiters) StoreLive(record.most_waiters, lock.waiters);
    if (HasHolder(record.kind)) {
      if (lock.holder != 0) SettleHolder(lock);
    } else if (runners_ == 1) {
      SettleRunner(lock);
    }
  }
  touched_ = 0;
}

void WaitObserver::SettleHolder(WaitTables::Lock& lock) noexcept {
  ThreadSlot* slot = registry_.Find(lock.holder);
  // The lock may have changed hands since its first waiter was looked at; then the holder's look
  // does not show it as the holder.
  if (slot == nullptr || ReadFutex(lock.call).holder != lock.holder) return;
  const Watched& holder = state_->watched[slot - &registry_.at(0)];
  if (holder.tid != lock.holder || holder.moment != moment_) return;
  spool::HolderRecord key = {};
  key.lock = lock.id;
  key.thread = collector_.ThreadRecordOf(*slot);
  key.tid = static_cast<std::uint32_t>(lock.holder);
  key.region = spool::kNone;
  if (holder.found == Watched::Found::kBlocked) {
    key.state = kHolderBlocked;
    key.pc = holder.site.pc;
    key.region = holder.site.region;
    key.chain = holder.site.chain;
  } else if (holder.found == Watched::Found::kRunning) {
    key.state = kHolderRan;
    PlaceOfRunner(*slot, key);
  } else {
    return;
  }
  if (AddHolder(lock, key)) {
    AddLive(lock.record->known_holders, lock.waiters);
  }
}

void WaitObserver::SettleRunner(WaitTables::Lock& lock) noexcept {
  ThreadSlot& slot = registry_.at(runner_);
  const pid_t tid = state_->watched[runner_].tid;
  // The thread may have ended since its look.
  if (tid == 0 || slot.tid.load(std::memory_order_relaxed) != tid) return;
  spool::HolderRecord key = {};
  key.lock = lock.id;
  key.thread = collector_.ThreadRecordOf(slot);
  key.tid = static_cast<std::uint32_t>(tid);
  key.region = spool::kNone;
  key.state = kOnlyRunner;
  PlaceOfRunner(slot, key);
  AddHolder(lock, key);
}

void WaitObserver::PlaceOfRunner(ThreadSlot& slot, spool::HolderRecord& key) noexcept {
  // A running thread's PC cannot be read without a signal. Its last sample is at most one period
  // of CPU time old.
  if (slot.armed()) collector_.DrainSlot(slot);
  if (slot.last_place.epoch != epoch_) return;
  key.pc = slot.last_place.pc;
  key.region = slot.last_place.region;
  key.chain = slot.last_place.chain;
}

bool WaitObserver::AddHolder(const WaitTables::Lock& lock,
                             const spool::HolderRecord& key) noexcept {
  spool::HolderRecord* record = state_->tables.Holder(spool_, key);
  if (record == nullptr) {
    ++sums_.no_lock;
    return false;
  }
  AddLive<std::uint64_t>(record->looks, lock.waiters);
  AddLive(record->blocked_ns, lock.taken_ns);
  return true;
}

void WaitObserver::PlaceOneLock() noexcept {
  WaitTables& tables = state_->tables;
  if (!spool_.open() || unplaced_from_ == tables.lock_count()) return;
  WaitTables::Lock& lock = tables.lock(unplaced_from_++);
  state_->memory.Forget();
  const DataPlace place = PlaceOfData(lock.record->address, state_->memory);
  if (place.code == 0) return;
  const std::uint32_t region = collector_.RegionFor(place.code);
  StoreLive(lock.record->offset, place.offset);
  // Last: a reader that sees the region also sees the offset.
  __atomic_store_n(&lock.record->region, region, __ATOMIC_RELEASE);
}

}  // namespace csink::agent

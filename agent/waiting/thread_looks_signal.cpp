#include <errno.h>

#include <cstring>
#include <new>

#include "agent/waiting/descriptor_kind.h"
#include "agent/waiting/fault_kind.h"
#include "agent/waiting/lock_place.h"
#include "agent/waiting/thread_looks.h"
#include "core/machine/clocks.h"
#include "core/util/text.h"

/// File: one moment of an observer. Each thread is looked at (1 us for a thread that stands, 10 to
/// 20 us for one that has moved). Then the locks that threads wait for are settled: for each lock
/// the holder that its first waiter has read is compared with the present one, and the holder's own
/// look of this moment says where it is.

namespace csink::agent {
namespace {

using spool::WaitKind;

// Moments at which no file of any thread can be read, before the observation stops.
constexpr unsigned kMostFailedMoments = 5;
// A thread in short waits has often left the place before its stack is copied. If it is then
// blocked in the same call at the same depth of its stack, the look is made there, some
// microseconds later.
constexpr int kMoreTries = 3;
// The lines of threads take this part of the files that may stay open.
constexpr std::size_t kLinesPart = 4;
// States of spool::WaitObserver.
constexpr std::uint32_t kObserved = 1;
constexpr std::uint32_t kStopped = 2;

// Whether the memory of such an object names a holder (JudgeFutex). The thread that a join waits
// for counts as the holder.
bool HasHolder(WaitKind kind) noexcept {
  return kind == WaitKind::kMutex || kind == WaitKind::kReadLock || kind == WaitKind::kWriteLock ||
         kind == WaitKind::kJoin;
}

// Adds to a [live] field of a record, which csink may read meanwhile. There is one writer.
template <class T>
void AddLive(T& field, T value) noexcept {
  StoreLive(field, static_cast<T>(field + value));
}

}  // namespace

void ThreadLooks::Start(ObservedProcess& process, SpoolWriter& spool, RegionIndex& regions,
                        const char* folder, bool is_own, std::uint32_t glibc) noexcept {
  // The object is zeroed memory, in which the descriptor of memory_ would be 0 and not "none".
  new (&memory_) ProcessMemory;
  process_ = &process;
  spool_ = &spool;
  regions_ = &regions;
  folder_ = folder;
  is_own_ = is_own;
  glibc_ = glibc;
}

void ThreadLooks::BeginMoment(std::size_t most_files) noexcept {
  most_files_ = most_files;
  ++moment_;
  touched_count_ = 0;
  runners_ = 0;
  read_any_ = false;
  last_error_ = 0;
}

int ThreadLooks::EndMoment(std::uint32_t threads, std::uint64_t cost_ns) noexcept {
  // A moment counts as failed only if no file could be read and one of them had an error. Without
  // threads there is no error.
  failed_moments_ = read_any_ || last_error_ == 0 ? 0 : failed_moments_ + 1;
  SettleLocks();
  // One lock a moment: its place costs a walk through the list of mappings (50 us).
  PlaceOneLock();
  sums_.cpu_ns += cost_ns;
  ++sums_.moments;
  sums_.state = kObserved;
  if (threads > sums_.most_threads) sums_.most_threads = threads;
  sums_.last_monotonic_ns = MonotonicNs();
  if (sums_.start_monotonic_ns == 0) sums_.start_monotonic_ns = sums_.last_monotonic_ns;
  const int error = failed_moments_ == kMostFailedMoments ? last_error_ : 0;
  if (error != 0) NoteStopped(error);
  return error;
}

void ThreadLooks::Rebase(WatchedThread& watched) noexcept {
  // The next look starts the account again, so what passed until then is in no place.
  watched.account.Stop();
  watched.stands = false;
  watched.lock = 0;
}

void ThreadLooks::ForgetRecords(std::uint32_t threads) noexcept {
  tables_.Clear();
  unplaced_from_ = 0;
  touched_count_ = 0;
  sums_ = {};
  // Their number in the new spool: Look counts a thread only when it sees the thread for the first
  // time.
  sums_.threads = threads;
}

void ThreadLooks::NoteStopped(int error) noexcept {
  sums_.state = kStopped;
  sums_.stopped_errno = static_cast<std::uint32_t>(error);
}

void ThreadLooks::ReadThrough(pid_t tid) noexcept {
  // process_vm_readv takes any thread of the process. The main thread may have ended while others
  // live, and an ended thread has no memory; this thread has been seen alive.
  if (is_own_) return;
  through_ = tid;
  memory_.SetProcess(tid);
}

void ThreadLooks::StoreHeader() noexcept {
  if (!spool_->open()) return;
  spool::WaitObserver& out = spool_->header().waits;
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
  StoreLive(out.glibc, glibc_);
}

void ThreadLooks::Drop(WatchedThread& watched) noexcept {
  kept_files_ -= watched.files.open();
  watched.files.Close();
  // An empty entry is a thread that was not looked at yet.
  watched = {};
}

void ThreadLooks::NoteFailure(WatchedThread& watched, long error) noexcept {
  // A thread that ends is no failure; a list of threads that is not there at all is one.
  last_error_ = error == -ESRCH ? last_error_ : static_cast<int>(-error);
  // The number stays, so that the next look tries the files again without counting a new thread.
  const pid_t tid = watched.tid;
  Drop(watched);
  watched.tid = tid;
}

bool ThreadLooks::ReadTimes(WatchedThread& watched, ThreadTimes& times) noexcept {
  char text[80];
  // Read tells by the member that the file stays open, and the files of all threads have one limit.
  const bool had = watched.files.times_plus_one != 0;
  const long got = ThreadFiles::Read(watched.files.times_plus_one, kept_files_ < most_files_,
                                     folder_, watched.tid, "schedstat", text, sizeof text);
  if (!had && watched.files.times_plus_one != 0) ++kept_files_;
  if (got < 0) return NoteFailure(watched, got), false;
  const Result<ThreadTimes> parsed = ParseThreadTimes({text, static_cast<std::size_t>(got)});
  // Three zeros: a thread that has had no turn yet, or a kernel that does not keep these numbers.
  if (!parsed) return NoteFailure(watched, -ENOTSUP), false;
  times = *parsed;
  return true;
}

bool ThreadLooks::ReadLine(WatchedThread& watched, SyscallLine& line) noexcept {
  char text[256];
  const bool had = watched.files.syscall_plus_one != 0;
  // Every look reads the times, but only a thread that has moved needs its line. Where not all
  // files can stay open, those with the times do.
  const long got =
      ThreadFiles::Read(watched.files.syscall_plus_one, kept_files_ < most_files_ / kLinesPart,
                        folder_, watched.tid, "syscall", text, sizeof text);
  if (!had && watched.files.syscall_plus_one != 0) ++kept_files_;
  if (got < 0) return NoteFailure(watched, got), false;
  const Result<SyscallLine> parsed = ParseSyscallLine({text, static_cast<std::size_t>(got)});
  if (!parsed) return NoteFailure(watched, -EINVAL), false;
  line = *parsed;
  read_any_ = true;
  return true;
}

void ThreadLooks::Look(WatchedThread& watched, pid_t tid) noexcept {
  const bool is_new = watched.tid != tid;
  if (is_new) {
    if (watched.tid != 0) Drop(watched);
    watched.tid = tid;
    ++sums_.threads;
  }
  watched.moment = moment_;
  watched.found = WatchedThread::Found::kNothing;
  ThreadTimes times;
  if (!ReadTimes(watched, times)) return;
  // Count and FindPlace may read the thread's futex and its stack.
  ReadThrough(tid);
  std::uint64_t now = MonotonicNs();
  if (!watched.account.started()) {
    std::uint64_t begin = now;
    ThreadTimes before = times;
    // From a thread's begin to its first look passes as much time as between two looks. A thread
    // that was looked at before and lost its account would count that time twice.
    if (!is_new || !process_->BeginOf(watched, begin, before)) {
      begin = now;
      before = times;
    }
    watched.account.Start(begin, before);
    watched.stands = false;
  }
  // Without a turn a blocked thread cannot have moved: its place is known without another read.
  if (watched.stands && times.turns == watched.turns && spool_->open()) {
    read_any_ = true;
    sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
    watched.found = WatchedThread::Found::kBlocked;
    return Count(watched, now, true);
  }
  watched.stands = false;
  watched.lock = 0;
  SyscallLine line;
  if (!ReadLine(watched, line)) return;
  watched.turns = times.turns;
  // A running thread takes no blocked time: the next look that finds it blocked does. Without a
  // spool no record can be written, but the account goes on.
  if (line.running || !spool_->open()) {
    sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
    if (line.running) {
      watched.found = WatchedThread::Found::kRunning;
      // The kernel answers "running" also for a thread that waits for a processor.
      ++runners_;
      runner_ = watched.tid;
    }
    return;
  }
  bool stood = FindPlace(watched, line, times, now);
  for (int tries = 0; !stood && tries < kMoreTries && SeeAgain(watched, line, times); ++tries) {
    now = MonotonicNs();
    stood = FindPlace(watched, line, times, now);
  }
  // The file may have been lost meanwhile: the thread has ended.
  if (!watched.account.started()) return;
  watched.stands = stood;
  watched.turns = times.turns;
  watched.stands_since_ns = now;
  watched.found = WatchedThread::Found::kBlocked;
  // The place is that at which the look began, although the thread has left it: a thread that moves
  // often would otherwise be in no row.
  if (!stood) ++sums_.moved;
  sums_.blocked_ns += static_cast<std::uint64_t>(watched.account.See(now, times));
  Count(watched, now, false);
}

bool ThreadLooks::SeeAgain(WatchedThread& watched, SyscallLine& line, ThreadTimes& times) noexcept {
  // The files may have been lost, and the account with them.
  SyscallLine again;
  if (!watched.account.started() || !ReadTimes(watched, times) || !ReadLine(watched, again)) {
    return false;
  }
  const bool is_same = !again.running && again.number == line.number && again.pc == line.pc &&
                       again.stack_pointer == line.stack_pointer;
  if (is_same) line = again;
  return is_same;
}

bool ThreadLooks::FindPlace(WatchedThread& watched, const SyscallLine& line, ThreadTimes& times,
                            std::uint64_t& now_ns) noexcept {
  memory_.Forget();
  // First the copies of memory, then the proof that the thread stood still meanwhile.
  std::size_t stack_bytes = memory_.ReadSome(line.stack_pointer, stack_, kFirstStackBytes);
  // A 32-bit program that is observed from outside has other numbers of system calls.
  const SyscallLine native = process_->NativeCall(line);
  CallFacts facts = FactsOfCall(native);
  FutexObject object;
  watched.call = {};
  if (facts.is_futex) {
    watched.call = FutexWaitOf(native);
    if (watched.call.address != 0) {
      object = ReadFutex(watched.call);
      facts.kind = object.kind;
    }
  }
  // poll of one descriptor: its pollfd begins with the descriptor, an int of 32 bits.
  if (std::int32_t polled = -1; facts.poll_list != 0 && memory_.Read(facts.poll_list, polled)) {
    facts.descriptor = polled;
  }
  // The proof that all of this was one moment: since the line was read the thread has had no turn,
  // so it was blocked there all the time. The proof comes before everything that is slower than a
  // copy of memory, so that short waits are seen at one place, too.
  ThreadTimes after;
  if (!ReadTimes(watched, after)) return false;
  const bool stood = after.turns == times.turns;
  // The later times are those of the same wait, so the look takes the blocked time up to them.
  if (stood) {
    times = after;
    now_ns = MonotonicNs();
  }
  const spool::DescriptorKind descriptor =
      facts.descriptor < 0 ? spool::DescriptorKind::kUnknown
                           : KindOfDescriptor(folder_, watched.tid, facts.descriptor);
  // The kernel's words about a thread that has moved on are those of another wait.
  if (facts.kind == WaitKind::kFault && stood) {
    facts.kind = FaultKind(folder_, watched.tid, watched.disk_bytes);
  }

  spool::WaitSiteRecord key = {};
  key.pc = line.pc;
  key.region = process_->RegionFor(line.pc);
  key.thread = process_->ThreadRecordOf(watched);
  key.kind = facts.kind;
  key.descriptor = descriptor;
  key.system_call = static_cast<std::int32_t>(native.number);
  // A thread that has moved on has perhaps used its stack since: its callers are not known. Callers
  // that it had before at the same stack pointer are often others.
  ChainStop& stop = watched.chain_stop;
  key.chain = stood ? ChainOf(line, stack_bytes, stop) : NoChain(stop);
  // The larger copy needs a proof of its own. Without it the cut chain stays. A copy below the
  // first size ended at the end of the stack, so a second one would give no more.
  if (stood && stop.cut() && stack_bytes == kFirstStackBytes) {
    const std::size_t more = memory_.ReadSome(line.stack_pointer, stack_, kStackBytes);
    if (!ReadTimes(watched, after)) return false;
    if (after.turns == times.turns) {
      stack_bytes = more;
      key.chain = ChainOf(line, stack_bytes, stop);
    }
  }
  watched.stack_bytes = static_cast<std::uint32_t>(stood ? stack_bytes : 0);
  if (stood && stop.cut()) ++sums_.cut;
  // 0: no futex, or futex_waitv, which waits for several words.
  if (watched.call.address != 0) FindLock(watched, object, key);
  watched.site = key;
  return stood;
}

void ThreadLooks::FindLock(WatchedThread& watched, const FutexObject& object,
                           spool::WaitSiteRecord& key) noexcept {
  spool::LockRecord first = {};
  first.address = object.address;
  first.region = spool::kNone;
  first.kind = object.kind;
  first.first_pc = key.pc;
  first.first_region = key.region;
  first.first_chain = key.chain;
  first.operation_plus_one = static_cast<std::uint32_t>(watched.call.operation) + 1;
  first.expected = watched.call.expected;
  WaitTables::Lock* const lock = tables_.LockAt(*spool_, first);
  if (lock == nullptr) {
    ++sums_.no_lock;
    return;
  }
  key.lock = lock->id;
  watched.lock = static_cast<std::uint32_t>(lock - &tables_.lock(0)) + 1;
  // Between two holders a word may be too little to recognise its object.
  if (lock->record->kind == WaitKind::kFutex) {
    StoreLive(lock->record->kind, object.kind);
  } else if (object.kind == WaitKind::kFutex) {
    key.kind = lock->record->kind;
  }
  if (lock->moment != moment_) BeginLock(watched, object.holder);
}

void ThreadLooks::BeginLock(const WatchedThread& watched, pid_t holder) noexcept {
  WaitTables::Lock& lock = tables_.lock(watched.lock - 1);
  // The sums are those of one moment. SettleLocks adds them to the record, with the holder.
  lock.moment = moment_;
  lock.waiters = 0;
  lock.taken_ns = 0;
  lock.taken_squared = 0;
  lock.holder = holder;
  lock.call = watched.call;
  if (touched_count_ < kMostTouched) touched_[touched_count_++] = watched.lock - 1;
}

std::uint32_t ThreadLooks::ChainOf(const SyscallLine& line, std::size_t bytes,
                                   ChainStop& stop) noexcept {
  CallerChains* chains = process_->Chains();
  if (chains == nullptr) return 0;
  // Only stack pointer and PC are known.
  StackSample& sample = sample_;
  sample.pc = line.pc;
  sample.period = 0;
  sample.has_registers = true;
  std::memset(sample.registers, 0, sizeof sample.registers);
  sample.registers[kStackPointerRegister] = line.stack_pointer;
  sample.registers[kPcRegister] = line.pc;
  sample.address_count = 0;
  sample.stack = stack_;
  sample.stack_rest = nullptr;
  // The walk reads whole words of 8 bytes.
  sample.stack_bytes = sample.stack_first_bytes = static_cast<std::uint32_t>(bytes & ~7ull);
  sample.stack_ended = bytes != kFirstStackBytes && bytes != kStackBytes;
  if (!is_own_) chains->facts().SetProcess(through_);
  chains->facts().Begin(*regions_, true);
  WalkCallers(sample, chains->facts(), nullptr, callers_, FramePointer::kUnknown);
  chains->facts().End();
  return chains->ChainOf(callers_, *regions_, *spool_, true, stop);
}

std::uint32_t ThreadLooks::NoChain(ChainStop& stop) noexcept {
  CallerChains* chains = process_->Chains();
  if (chains == nullptr) return 0;
  callers_.Clear();
  // The stack goes on, so the place is not taken for a root. Such a look is counted as moved, not
  // as cut.
  callers_.EndAt(spool::ChainEnd::kMoved);
  return chains->ChainOf(callers_, *regions_, *spool_, true, stop);
}

bool ThreadLooks::IsOurs(pid_t tid, void* arg) noexcept {
  return static_cast<ThreadLooks*>(arg)->process_->HasThread(tid);
}

FutexObject ThreadLooks::ReadFutex(const FutexWaitCall& call) noexcept {
  FutexMemory around;
  memory_.Forget();
  // The words behind may belong to a page that is not mapped; the futex word itself is.
  for (std::size_t i = 0; i < 8; ++i) {
    if (!memory_.Read(call.address + 4 * i, around.at[i])) break;
  }
  return JudgeFutex(call, around, IsOurs, this);
}

void ThreadLooks::Touch(WatchedThread& watched, std::uint64_t taken_ns, bool exact) noexcept {
  WaitTables::Lock& lock = tables_.lock(watched.lock - 1);
  // A thread that stands is not read again, so nothing has found the lock's holder at this moment.
  if (lock.moment != moment_) {
    BeginLock(watched, HasHolder(lock.record->kind) ? ReadFutex(watched.call).holder : 0);
  }
  ++lock.waiters;
  lock.taken_ns += taken_ns;
  // The squares give the effective number of looks (Kish). Exact times have no error of sampling.
  if (!exact) lock.taken_squared += static_cast<double>(taken_ns) * static_cast<double>(taken_ns);
}

void ThreadLooks::Count(WatchedThread& watched, std::uint64_t now_ns, bool exact) noexcept {
  const std::uint64_t taken = watched.account.Take();
  ++sums_.looks;
  process_->CountLook();
  if (CallerChains* chains = process_->Chains()) {
    chains->ends().Count(*spool_, spool::ChainWay::kLook, watched.chain_stop, watched.stack_bytes);
  }
  // Anew for a thread that stands: its record and the phase may be others than at the look before.
  watched.site.thread = process_->ThreadRecordOf(watched);
  watched.site.phase = process_->Phase();
  if (watched.site.thread == spool::kMergedThread) ++sums_.folded;
  if (watched.lock != 0) Touch(watched, taken, exact);
  spool::WaitSiteRecord* site = tables_.Site(*spool_, watched.site);
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
  // Seen from the first look at the standing thread on, so the wait lasted at least as long.
  if (exact && stood > site->longest_ns) StoreLive(site->longest_ns, stood);
}

void ThreadLooks::SettleLocks() noexcept {
  spool::HolderRecord runner = {};
  // After all looks: the holder may be looked at after its waiters.
  const bool one_runs = FindOnlyRunner(runner);
  for (std::size_t i = 0; i < touched_count_; ++i) {
    WaitTables::Lock& lock = tables_.lock(touched_[i]);
    if (lock.waiters == 0) continue;
    spool::LockRecord& record = *lock.record;
    AddLive<std::uint64_t>(record.looks, lock.waiters);
    AddLive(record.blocked_ns, lock.taken_ns);
    AddLive(record.blocked_squared, lock.taken_squared);
    AddLive<std::uint64_t>(record.moments, 1);
    if (lock.waiters > record.most_waiters) StoreLive(record.most_waiters, lock.waiters);
    if (HasHolder(record.kind)) {
      if (lock.holder != 0) SettleHolder(lock);
    } else if (one_runs) {
      AddHolder(lock, runner);
    }
  }
  touched_count_ = 0;
}

void ThreadLooks::SettleHolder(WaitTables::Lock& lock) noexcept {
  const WatchedThread* holder = process_->FindThread(lock.holder);
  // Only a look of this moment says where the holder is while the lock has waiters.
  if (holder == nullptr || holder->moment != moment_) return;
  // The lock may have changed hands since its first waiter was looked at; then the holder's look
  // does not show it as the holder.
  ReadThrough(holder->tid);
  if (ReadFutex(lock.call).holder != lock.holder) return;
  spool::HolderRecord key = HolderKey(*holder, spool::kHolderRan);
  if (holder->found == WatchedThread::Found::kBlocked) {
    key.state = spool::kHolderBlocked;
    key.pc = holder->site.pc;
    key.region = holder->site.region;
    key.chain = holder->site.chain;
  } else if (holder->found == WatchedThread::Found::kRunning) {
    PlaceOfRunner(*holder, key);
  } else {
    return;
  }
  // The part of the waits without a known holder is the rest of `looks`.
  if (AddHolder(lock, key)) AddLive(lock.record->known_holders, lock.waiters);
}

bool ThreadLooks::FindOnlyRunner(spool::HolderRecord& key) noexcept {
  // If no lock has waiters, the record is not needed.
  if (runners_ != 1 || touched_count_ == 0) return false;
  const WatchedThread* runner = process_->FindThread(runner_);
  if (runner == nullptr || runner->moment != moment_) return false;
  key = HolderKey(*runner, spool::kOnlyRunner);
  PlaceOfRunner(*runner, key);
  return true;
}

spool::HolderRecord ThreadLooks::HolderKey(const WatchedThread& thread,
                                           std::uint32_t state) noexcept {
  spool::HolderRecord key = {};
  key.thread = process_->ThreadRecordOf(thread);
  key.tid = static_cast<std::uint32_t>(thread.tid);
  key.region = spool::kNone;
  key.state = state;
  return key;
}

void ThreadLooks::PlaceOfRunner(const WatchedThread& thread, spool::HolderRecord& key) noexcept {
  // A running thread's PC cannot be read without a signal.
  const ObservedProcess::LastPlace place = process_->LastPlaceOf(thread);
  if (place.pc == 0) return;
  key.pc = place.pc;
  key.region = place.region;
  key.chain = place.chain;
}

bool ThreadLooks::AddHolder(const WaitTables::Lock& lock, spool::HolderRecord key) noexcept {
  key.lock = lock.id;
  spool::HolderRecord* record = tables_.Holder(*spool_, key);
  if (record == nullptr) {
    ++sums_.no_lock;
    return false;
  }
  AddLive<std::uint64_t>(record->looks, lock.waiters);
  AddLive(record->blocked_ns, lock.taken_ns);
  return true;
}

void ThreadLooks::PlaceOneLock() noexcept {
  if (!spool_->open() || unplaced_from_ == tables_.lock_count()) return;
  WaitTables::Lock& lock = tables_.lock(unplaced_from_++);
  memory_.Forget();
  // Another thread's list: that of a process whose main thread has left is empty.
  Text<128> maps;
  if (is_own_) {
    maps.Add("/proc/thread-self/maps");
  } else {
    maps.Add(folder_).Add("/task/").Signed(through_).Add("/maps");
  }
  const DataPlace place = PlaceOfData(maps.c_str(), lock.record->address, memory_);
  if (place.code == 0) return;
  const std::uint32_t region = process_->RegionFor(place.code);
  StoreLive(lock.record->offset, place.offset);
  // Last: a reader that sees the region also sees the offset.
  __atomic_store_n(&lock.record->region, region, __ATOMIC_RELEASE);
}

}  // namespace csink::agent

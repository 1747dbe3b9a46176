#include "agent/process/task_list.h"
#include "agent/results/child_ends.h"
#include "core/machine/child.h"
#include "core/machine/clocks.h"
#include "core/machine/own_files.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/spool/small_writer.h"
#include "profil/inside/spool/tree_place.h"

/// File: a wait may return in any thread and in a handler of SIGCHLD, so that places in the table
/// are claimed by a counter. The one who claims the place behind the last one writes the table.

namespace csink::agent {
namespace {

std::uint64_t Nanoseconds(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000u;
}

struct rusage ChildrenUsage() noexcept {
  struct rusage children = {};
  RawSyscall(SYS_getrusage, RUSAGE_CHILDREN, SyscallArg(&children));
  return children;
}

std::uint64_t TotalOf(const struct rusage& usage) noexcept {
  return Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
}

// Static, because a handler may run on a small stack. Protected by ChildEnds::writing_.
alignas(8) unsigned char g_bytes[4096];
constinit SmallRecordWriter g_record(g_bytes, sizeof g_bytes);
std::string_view g_folder;
std::uint64_t g_tree = 0;

void Append(void*) noexcept { (void)AppendInTree(g_record, g_folder, g_tree); }

// With several threads, one of them might close our descriptor and open a file under its number
// while we write (TreeRecord::Leave). Then the file is opened in a table of descriptors of its own.
void AppendSafely() noexcept {
  alignas(64) static unsigned char stack[kChildStackBytes];
  if (IsAlone()) return Append(nullptr);
#if !defined(CSINK_SANITIZED)
  (void)RunWithOwnFiles(Append, nullptr, stack);
#else
  (void)stack;
#endif
}

}  // namespace

void ChildEnds::Start() noexcept {
  if (wanted()) before_ns_ = TotalOf(ChildrenUsage());
}

bool ChildEnds::IsOfAChild(std::uint64_t cpu_ns) noexcept {
  // Children whose waits no hook sees leave room behind; none is ever missing.
  const std::uint64_t all_ns = TotalOf(ChildrenUsage()) - before_ns_;
  std::uint64_t known_ns = known_ns_.load(std::memory_order_relaxed);
  do {
    if (known_ns + cpu_ns > all_ns) return false;
  } while (
      !known_ns_.compare_exchange_weak(known_ns, known_ns + cpu_ns, std::memory_order_relaxed));
  return true;
}

void ChildEnds::Add(pid_t pid, int status, const struct rusage& usage) noexcept {
  if (!IsOfAChild(TotalOf(usage))) return;
  std::uint32_t place = used_.fetch_add(1, std::memory_order_relaxed);
  if (place >= kRoom) {
    if (!Write()) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    place = used_.fetch_add(1, std::memory_order_relaxed);
    if (place >= kRoom) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  ends_[place] = {static_cast<std::uint32_t>(pid), status, Nanoseconds(usage.ru_utime),
                  Nanoseconds(usage.ru_stime), MonotonicNs()};
  stored_.fetch_add(1, std::memory_order_release);
}

bool ChildEnds::Write() noexcept {
  if (process_.sandboxed() || writing_.exchange(true, std::memory_order_acquire)) return false;
  const std::uint32_t used = used_.load(std::memory_order_relaxed);
  const std::uint32_t count = used < kRoom ? used : kRoom;
  // Another thread, or the code that this handler has interrupted, is about to store an end.
  if (stored_.load(std::memory_order_acquire) != count) {
    writing_.store(false, std::memory_order_release);
    return false;
  }
  const struct rusage children = ChildrenUsage();
  const spool::SmallChildEnds head = {static_cast<std::uint32_t>(process_.pid()),
                                      count,
                                      dropped_.exchange(0, std::memory_order_relaxed),
                                      0,
                                      Nanoseconds(children.ru_utime),
                                      Nanoseconds(children.ru_stime),
                                      MonotonicNs()};
  g_record.Begin(spool::SmallKind::kChildEnds);
  g_record.Put(&head, sizeof head);
  g_record.Put(ends_, count * sizeof ends_[0]);
  g_folder = config_.spool_dir.view();
  g_tree = config_.tree;
  AppendSafely();
  stored_.store(0, std::memory_order_relaxed);
  used_.store(0, std::memory_order_release);
  writing_.store(false, std::memory_order_release);
  return true;
}

void ChildEnds::Finish(bool made_children) noexcept {
  const bool has_ends = used_.load(std::memory_order_relaxed) != 0;
  if (!wanted() || (!has_ends && !made_children)) return;
  (void)Write();
}

void ChildEnds::ForgetAfterFork() noexcept {
  used_.store(0, std::memory_order_relaxed);
  stored_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  before_ns_ = 0;
  known_ns_.store(0, std::memory_order_relaxed);
  writing_.store(false, std::memory_order_relaxed);
}

}  // namespace csink::agent

#include <sys/mman.h>

#include "agent/critical/moments.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

/// File: buffers are made on the thread that needs one, possibly in a handler, and freed by the
/// drain after the thread's end.

namespace csink::agent {
namespace {

std::atomic<CriticalHooks*> g_hooks{nullptr};
Moments* g_moments = nullptr;

}  // namespace

void SetCriticalHooks(CriticalHooks* hooks) noexcept {
  if (hooks->bytes == sizeof(CriticalHooks)) g_hooks.store(hooks, std::memory_order_release);
}

CriticalHooks* TheCriticalHooks() noexcept { return g_hooks.load(std::memory_order_acquire); }

void PublishMoments(Moments* moments) noexcept { g_moments = moments; }

MomentBuffer* BeginThreadOfHooks() noexcept { return g_moments->BeginThread(); }

void Moments::Hold(bool held) noexcept {
  if (hooks_) hooks_->on.store(!held, std::memory_order_relaxed);
}

MomentBuffer* Moments::BeginThread() noexcept {
  if (!process_.active() || process_.sandboxed() || !process_.IsOurProcess()) return nullptr;
  const pid_t tid = AskTid();
  if (is_ours_(tid)) return nullptr;
  const long r = RawSyscall(SYS_mmap, 0, sizeof(MomentBuffer), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (r < 0 && r > -4096) return nullptr;
  // Memory of mmap is zero, as an empty buffer.
  auto* buffer = reinterpret_cast<MomentBuffer*>(r);
  buffer->tid = static_cast<std::uint32_t>(tid);
  buffer->pid = process_.pid();
  buffer->next = buffers_.load(std::memory_order_relaxed);
  while (!buffers_.compare_exchange_weak(buffer->next, buffer, std::memory_order_release)) {
  }
  return buffer;
}

MomentBuffer* Moments::Own() noexcept {
  if (!hooks_ || !hooks_->on.load(std::memory_order_relaxed)) return nullptr;
  return hooks_->own();
}

void Moments::BeforeFork() noexcept {
  if (MomentBuffer* own = Own()) own->fork_ns = MonotonicNs();
}

void Moments::Forked(pid_t pid) noexcept {
  MomentBuffer* const own = pid > 0 ? Own() : nullptr;
  if (!own) return;
  // The child may have begun before this.
  const std::uint64_t at_ns = own->fork_ns != 0 ? own->fork_ns : MonotonicNs();
  own->fork_ns = 0;
  own->PutPoint(spool::MomentKind::kFork, static_cast<std::uint64_t>(pid),
                static_cast<std::uint64_t>(pid), at_ns);
}

void Moments::VforkBegins() noexcept {
  if (hooks_) hooks_->vforks.fetch_add(1, std::memory_order_relaxed);
}

void Moments::VforkEnds() noexcept {
  if (hooks_) hooks_->vforks.fetch_sub(1, std::memory_order_relaxed);
}

void Moments::AfterFork() noexcept {
  if (!hooks_) return;
  hooks_->vforks.store(0, std::memory_order_relaxed);
  hooks_->forget();
  MomentBuffer* buffer = buffers_.exchange(nullptr, std::memory_order_relaxed);
  while (buffer && !process_.sandboxed()) {
    MomentBuffer* const next = buffer->next;
    RawSyscall(SYS_munmap, SyscallArg(buffer), sizeof(MomentBuffer));
    buffer = next;
  }
}

bool Moments::Unlink(MomentBuffer* before, MomentBuffer* buffer) noexcept {
  if (before) {
    before->next = buffer->next;
    return true;
  }
  MomentBuffer* first = buffer;
  return buffers_.compare_exchange_strong(first, buffer->next, std::memory_order_acquire);
}

void Moments::TakeMoments(TimedRecords& to, bool last) noexcept {
  const std::uint64_t now_ns = last ? MonotonicNs() : 0;
  MomentBuffer* before = nullptr;
  for (MomentBuffer* buffer = buffers_.load(std::memory_order_acquire); buffer;) {
    // Before the records: behind an end there are none.
    const bool ended = buffer->ended.load(std::memory_order_acquire);
    to.LoseMoments(buffer->Take([&](const spool::MomentRecord* records, std::size_t count) {
      to.AddMoments(records, count);
    }));
    spool::MomentRecord open;
    if (last && buffer->TakeOpen(now_ns, open)) to.AddMoments(&open, 1);
    MomentBuffer* const next = buffer->next;
    if (ended && !process_.sandboxed() && Unlink(before, buffer)) {
      RawSyscall(SYS_munmap, SyscallArg(buffer), sizeof(MomentBuffer));
    } else {
      before = buffer;
    }
    buffer = next;
  }
}

}  // namespace csink::agent

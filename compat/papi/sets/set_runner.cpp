#include "compat/papi/sets/set_runner.h"

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/sets/event_set_table.h"
#include "compat/papi/threads/thread_list.h"

namespace csink::papi {
namespace {

/// ThreadContext::leave_sets: the running sets of a thread that leaves stay running, without a
/// thread. Another thread may still read and stop them.
void LeaveSets(ThreadContext& context) noexcept {
  // Most threads have no running set when they end: the lock is not taken then.
  bool runs = false;
  for (const auto& running : context.running) runs |= running.load() != nullptr;
  if (!runs) return;
  const LibraryLock held;  // another thread may be stopping a set of this thread
  for (auto& running : context.running) {
    if (EventSet* set = running.exchange(nullptr)) set->LoseRunner();
  }
}

/// Whether two sets that do not count their callers count the same target.
bool SameTarget(const EventSet& a, const EventSet& b) noexcept {
  return a.component() == b.component() && !a.options().CountsCaller() &&
         a.options().attached_tid == b.options().attached_tid && a.options().cpu == b.options().cpu;
}

}  // namespace

/// A set that counts its caller: one compare-and-swap in the thread's context, without a lock,
/// because an overflow handler may start its set. Other targets are compared with all running sets,
/// under the library's lock.
int SetRunner::Claim(EventSet& set) noexcept {
  if (set.options().CountsCaller()) {
    ThreadContext* context = Threads().Current();
    if (context == nullptr) return PAPI_ENOMEM;
    EventSet* nobody = nullptr;
    auto& running = context->running[static_cast<std::size_t>(set.component())];
    if (!running.compare_exchange_strong(nobody, &set)) {
      return Complain(PAPI_EISRUN, "another event set of this component runs on this thread");
    }
    context->leave_sets = LeaveSets;
    thread_.store(context, std::memory_order_release);
    running_.store(true, std::memory_order_release);
    return PAPI_OK;
  }
  const LibraryLock held;
  if (!held.held()) return kBusy;
  bool taken = false;
  Sets().ForEach([&](const EventSet& other) {
    taken |= &other != &set && other.running() && SameTarget(other, set);
  });
  if (taken) return Complain(PAPI_EISRUN, "another event set already counts this target");
  running_.store(true, std::memory_order_release);
  return PAPI_OK;
}

/// The entry in the thread's context is cleared last: only then another set of the component can
/// start on that thread.
void SetRunner::Release(int component) noexcept {
  running_.store(false, std::memory_order_release);
  ThreadContext* thread = thread_.load(std::memory_order_acquire);
  if (thread == nullptr) return;
  const auto index = static_cast<std::size_t>(component);
  if (thread == t_context) {
    thread_.store(nullptr, std::memory_order_relaxed);
    thread->running[index].store(nullptr, std::memory_order_release);
    return;
  }
  // The context of another thread, whose end waits for this lock (LeaveSets). Where a handler
  // interrupted the holder on this thread, the lock is not taken again, but this thread holds it
  // all the same.
  const LibraryLock held;
  if (ThreadContext* still = thread_.exchange(nullptr)) still->running[index].store(nullptr);
}

void SetRunner::ForgetAfterFork() noexcept {
  running_.store(false, std::memory_order_release);
  thread_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace csink::papi

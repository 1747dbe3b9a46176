#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "compat/papi/include/papi.h"
#include "core/events/event_spec.h"

namespace csink::papi {

class EventSet;
class ThreadCounters;
class ThreadRegions;
struct ThreadContext;

/// Called on a thread that ends or is unregistered, with its context. The caller holds no lock.
using LeaveHandler = void (*)(ThreadContext& context) noexcept;

/// Largest number of components. Event codes have room for 64; 16 are more than there are, and the
/// context stays small. ComponentRegistry::kMost is checked against it
/// (events/component_table.cpp).
inline constexpr std::size_t kMaxComponents = 20;

/// The library's data of one thread of the program. Made by the thread's first call that needs it
/// (ThreadList::Current), freed when the thread ends. PAPI_unregister_thread and PAPI_shutdown only
/// take it out of the list.
/// The pointers to parts of higher folders are set by these folders, together with the handler that
/// takes them back: this folder includes none of them.
/// Owns:    `counters`, which `leave_high_level` deletes.
/// Threads: `calls`: written by its own thread, read by PAPI_shutdown. `next`, `previous` and
/// `specific`: under the lock of ThreadList. `linked`: written
///          under that lock, read by its own thread. `running`: written by the thread that starts a
///          set and by the thread that stops it. The rest: its own thread.
struct ThreadContext {
  ThreadContext* next = nullptr;
  ThreadContext* previous = nullptr;
  std::atomic<bool> linked{false};                ///< The context is in the list
  unsigned long id = 0;                           ///< PAPI_thread_id of this thread
  pid_t tid = 0;                                  ///< The kernel's thread id
  std::array<void*, PAPI_NUM_TLS> specific = {};  ///< PAPI_set_thr_specific, by tag
  /// The set of each component that counts this thread; nullptr: none. One set a component and
  /// thread, which SetRunner::Claim enforces (PAPI_EISRUN).
  std::array<std::atomic<EventSet*>, kMaxComponents> running = {};
  /// How many calls the thread is in that change sets (LibraryCall); more than 1 in a handler.
  std::atomic<int> calls{0};
  /// Takes this thread from the sets in `running`; set by the first start of a set on this thread.
  LeaveHandler leave_sets = nullptr;
  /// Drops `counters` and `regions`; set together with the first of them.
  LeaveHandler leave_high_level = nullptr;
  EventComplaint complaint;            ///< Message of the last failure (LastSentence)
  ThreadCounters* counters = nullptr;  ///< For PAPI_start_counters and rates; made on use
  ThreadRegions* regions = nullptr;    ///< For PAPI_hl_*; owned by RegionRecorder
};

/// The context of the calling thread; nullptr: none yet. Reading it is one load: initial-exec needs
/// no call of __tls_get_addr, which may allocate. Signals: safe.
extern thread_local constinit ThreadContext* t_context [[gnu::tls_model("initial-exec")]];

}  // namespace csink::papi

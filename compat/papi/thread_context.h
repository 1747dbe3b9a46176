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

/// Components that one library may have: what six bits of an event's code can hold is 64; 16 are
/// plenty and keep the context small.
inline constexpr std::size_t kMaxComponents = 16;

/// What the library knows of one thread of the program.
/// Owns:    its counters of the high level; DropHighLevel (highlevel/high_level.h) comes before it
///          is freed, which the thread's end does, or whoever adopted it.
/// Threads: `next`, `previous` and `specific` under the lock of ThreadList; `linked` is written
///          under it and read by its own thread at any time; `running` is written by the thread
///          that starts and by any that stops; the rest by its own thread.
struct ThreadContext {
  ThreadContext* next = nullptr;
  ThreadContext* previous = nullptr;
  std::atomic<bool> linked{false};
  unsigned long id = 0;  ///< PAPI_thread_id's
  pid_t tid = 0;         ///< The kernel's
  std::array<void*, PAPI_NUM_TLS> specific = {};
  std::array<std::atomic<EventSet*>, kMaxComponents> running = {};
  EventComplaint complaint;            ///< The sentence of the last mistake (LastSentence)
  ThreadCounters* counters = nullptr;  ///< Of PAPI_start_counters and the rates, once used
  ThreadRegions* regions = nullptr;    ///< Of PAPI_hl_*; what they measured outlives the thread
};

/// The context of the calling thread if it has one. No call, no lock. Signals: safe.
extern thread_local constinit ThreadContext* t_context [[gnu::tls_model("initial-exec")]];

}  // namespace csink::papi

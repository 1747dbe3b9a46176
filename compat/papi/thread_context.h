#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "compat/papi/include/papi.h"
#include "core/events/event_spec.h"

namespace csink::papi {

class EventSet;

/// Components that one library may have: what six bits of an event's code can hold is 64; 16 are
/// plenty and keep the context small.
inline constexpr std::size_t kMaxComponents = 16;

/// What the library knows of one thread of the program.
/// Owns:    nothing; it is freed at the thread's end, or by whoever adopted it.
/// Threads: `next`, `previous`, `linked` and `specific` under the lock of ThreadList; `running` is
///          written by the thread that starts and by any that stops; the rest by its own thread.
struct ThreadContext {
  ThreadContext* next = nullptr;
  ThreadContext* previous = nullptr;
  bool linked = false;
  unsigned long id = 0;  ///< PAPI_thread_id's
  pid_t tid = 0;         ///< The kernel's
  std::array<void*, PAPI_NUM_TLS> specific = {};
  std::array<std::atomic<EventSet*>, kMaxComponents> running = {};
  EventComplaint complaint;  ///< The sentence of the last mistake
};

/// The context of the calling thread if it has one. No call, no lock. Signals: safe.
extern thread_local constinit ThreadContext* t_context [[gnu::tls_model("initial-exec")]];

}  // namespace csink::papi

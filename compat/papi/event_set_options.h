#pragma once

#include <sys/types.h>

#include "compat/papi/include/papi.h"
#include "core/counting/counter_set.h"

namespace csink::papi {

/// What the program asked of one event set, in PAPI's words.
struct SetOptions {
  int domain = PAPI_DOM_USER;
  int granularity = PAPI_GRN_THR;
  pid_t attached_tid = 0;         ///< 0: not attached
  unsigned long attached_id = 0;  ///< As the program named it
  int cpu = -1;                   ///< -1: not attached to one
  int inherit = PAPI_INHERIT_NONE;
  bool multiplexed = false;
  int multiplex_flags = PAPI_MULTIPLEX_DEFAULT;
  int multiplex_ns = 0;

  /// For the core.
  CountingOptions Counting() const noexcept;
  /// True when it counts the thread that starts it.
  bool CountsCaller() const noexcept {
    return attached_tid == 0 && cpu < 0 && granularity != PAPI_GRN_SYS;
  }
};

}  // namespace csink::papi

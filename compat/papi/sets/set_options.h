#pragma once

#include <sys/types.h>

#include "compat/papi/include/papi.h"
#include "core/counting/counters/counter_set.h"

namespace csink::papi {

/// What the program asked of one event set, in PAPI's words. The defaults are PAPI's;
/// EventSet::Bind replaces domain, granularity and inheriting by the component's defaults.
struct SetOptions {
  int domain = PAPI_DOM_USER;       ///< PAPI_DOM_*, or-ed
  int granularity = PAPI_GRN_THR;   ///< PAPI_GRN_THR or PAPI_GRN_SYS
  pid_t attached_tid = 0;           ///< 0: not attached
  unsigned long attached_id = 0;    ///< As the program named it
  int cpu = -1;                     ///< -1: not attached to one
  int inherit = PAPI_INHERIT_NONE;  ///< PAPI_INHERIT_*
  bool multiplexed = false;
  int multiplex_flags = PAPI_MULTIPLEX_DEFAULT;
  int multiplex_ns = 0;  ///< Time slice of forced software multiplexing

  /// The same for the core. PAPI_GRN_SYS without a CPU means the CPU on which the caller runs at
  /// this moment. PAPI_DOM_SUPERVISOR is the hypervisor's mode.
  CountingOptions Counting() const noexcept;
  /// True when the set counts the thread that starts it. Only such sets are started, stopped and
  /// read without a lock and in signal handlers.
  bool CountsCaller() const noexcept {
    return attached_tid == 0 && cpu < 0 && granularity != PAPI_GRN_SYS;
  }
};

}  // namespace csink::papi

#include "compat/papi/sets/set_options.h"

#include <sched.h>

/// File: what the program asks of a set, in the core's terms.

namespace csink::papi {

CountingOptions SetOptions::Counting() const noexcept {
  CountingOptions options;
  options.domain.user = (domain & PAPI_DOM_USER) != 0;
  options.domain.kernel = (domain & PAPI_DOM_KERNEL) != 0;
  options.domain.hypervisor = (domain & PAPI_DOM_SUPERVISOR) != 0;
  options.target.inherit = inherit == PAPI_INHERIT_ALL;
  // A set has one target. An attached thread comes first; set_options (calls) refuses a thread and
  // a CPU together.
  if (attached_tid != 0) {
    options.target.kind = CountingTarget::Kind::kThread;
    options.target.tid = attached_tid;
  } else if (cpu >= 0 || granularity == PAPI_GRN_SYS) {
    options.target.kind = CountingTarget::Kind::kCpu;
    options.target.cpu = cpu >= 0 ? cpu : sched_getcpu();
  }
  // The kernel multiplexes at its own ticks, for which it takes no interval; the time slice is that
  // of the forced software multiplexing.
  if (multiplexed) {
    const bool software = (multiplex_flags & PAPI_MULTIPLEX_FORCE_SW) != 0;
    options.multiplex =
        software ? CountingOptions::Multiplex::kSoftware : CountingOptions::Multiplex::kKernel;
    options.multiplex_slice_ns = static_cast<std::uint64_t>(multiplex_ns);
  }
  return options;
}

}  // namespace csink::papi

#include <sched.h>

#include "compat/papi/event_set.h"
#include "compat/papi/library.h"

/// File: what the program asks of a set, in the core's terms.

namespace csink::papi {

CountingOptions SetOptions::Counting() const noexcept {
  CountingOptions options;
  options.domain.user = (domain & PAPI_DOM_USER) != 0;
  options.domain.kernel = (domain & PAPI_DOM_KERNEL) != 0;
  options.domain.hypervisor = (domain & PAPI_DOM_SUPERVISOR) != 0;
  options.target.inherit = inherit == PAPI_INHERIT_ALL;
  if (attached_tid != 0) {
    options.target.kind = CountingTarget::Kind::kThread;
    options.target.tid = attached_tid;
  } else if (cpu >= 0 || granularity == PAPI_GRN_SYS) {
    options.target.kind = CountingTarget::Kind::kCpu;
    options.target.cpu = cpu >= 0 ? cpu : sched_getcpu();
  }
  if (multiplexed) {
    const bool software = (multiplex_flags & PAPI_MULTIPLEX_FORCE_SW) != 0;
    options.multiplex =
        software ? CountingOptions::Multiplex::kSoftware : CountingOptions::Multiplex::kKernel;
    options.multiplex_slice_ns = static_cast<std::uint64_t>(multiplex_ns);
  }
  return options;
}

// Without events there is nothing to open, so the options are only stored; the first Add opens
// under them. On a failure the counters are still those of the old options (CounterSet::Configure
// changes nothing when it fails), but PrepareOverflow has run for the new ones and is repeated for
// the old.
int EventSet::Apply(const SetOptions& options) {
  if (running()) return PAPI_EISRUN;
  const SetOptions before = options_;
  options_ = options;
  if (requests_.empty()) return PAPI_OK;
  const int code = Reopen();
  if (code == PAPI_OK) return PAPI_OK;
  options_ = before;
  if (overflowing_ != 0) PrepareOverflow();
  return code;
}

}  // namespace csink::papi

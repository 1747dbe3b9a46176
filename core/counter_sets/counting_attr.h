#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <vector>

#include "core/counting/counter_set.h"

namespace csink {

/// How to open one event of a component.
struct CountableEvent {
  perf_event_attr attr = {};  ///< type, config*, precise_ip, exclude_* as its name gave them
  bool user_given = false;    ///< The name itself says whether user mode counts; also below
  bool kernel_given = false;
  bool hypervisor_given = false;
  bool software = false;       ///< The kernel's own counter: any number count together
  bool kernel_only = false;    ///< Happens in the kernel: stays 0 with exclude_kernel
  bool stays_at_zero = false;  ///< It would open, but this PMU does not count it
  /// Socket-wide: one processor a package, counted on each and added up. Empty: per thread.
  std::vector<int> cpus;
};

/// The attribute that counts `event` (and samples it as `sampling` asks), disabled unless
/// `in_group`: then it counts whenever its leader does.
///
/// Modifiers in the event's name win over the domain. Events that happen in the kernel only
/// (context-switches) count with the kernel included even if the domain is the user's: without,
/// they are 0 for ever.
/// remove_on_exec: for the calling thread's own counters. Not for inherited ones, nor other
/// threads', which are to be followed through an exec.
perf_event_attr MakeCountingAttr(const CountableEvent& event, const CountingOptions& options,
                                 const SamplingRequest& sampling, bool in_group);

/// Processor cycles, for which PMUs mostly have a counter of its own beside those for any event.
bool CountsCycles(const perf_event_attr& attr);

/// A number that is the same for types whose events share counters: HARDWARE, HW_CACHE and RAW are
/// one PMU, unless their config names a core type of a hybrid processor.
std::uint32_t PmuOf(const perf_event_attr& attr);

}  // namespace csink

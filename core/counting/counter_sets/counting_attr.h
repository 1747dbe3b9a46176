#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <vector>

#include "core/counting/counters/counter_set.h"

namespace csink {

/// How to open one event of a component. Filled by CountableEvents::Encode.
struct CountableEvent {
  perf_event_attr attr = {};  ///< type, config*, precise_ip, and exclude_* as the name states them
  bool user_given = false;    ///< The name states whether user mode is counted; likewise below
  bool kernel_given = false;
  bool hypervisor_given = false;
  bool software = false;       ///< A counter of the kernel's own: any number count at once
  bool kernel_only = false;    ///< Occurs in kernel mode only: stays 0 with exclude_kernel
  bool stays_at_zero = false;  ///< It would open, but this PMU does not count it
  /// For a socket-wide event: one processor of each package. The event is counted on each, and the
  /// counts are added up. Empty: counted per thread.
  std::vector<int> cpus;
};

/// The attribute that counts `event` and samples it as `sampling` asks. `in_group` false: the event
/// leads a group and is disabled; without multiplexing it is pinned, too. True: it is enabled, and
/// so counts whenever its leader does.
///
/// Modifiers in the event's name take precedence over the domain of `options`. Events that occur in
/// kernel mode only (context-switches) are counted with the kernel included even where the domain
/// is user mode: otherwise they would always be 0.
/// remove_on_exec is set for the calling thread's own counters. It is not set for inherited
/// counters and those of other threads, which should count through an exec.
/// Threads: any; a pure function.
perf_event_attr MakeCountingAttr(const CountableEvent& event, const CountingOptions& options,
                                 const SamplingRequest& sampling, bool in_group);

/// Whether the event counts processor cycles. Most PMUs have a dedicated counter for cycles beside
/// the general ones. Only the generic event is recognised, on aarch64 also event 0x11.
bool CountsCycles(const perf_event_attr& attr);

/// A number that is equal for event types that share counters: HARDWARE, HW_CACHE and RAW are one
/// PMU, unless their config names a core type of a hybrid processor (PERF_PMU_TYPE_SHIFT).
std::uint32_t PmuOf(const perf_event_attr& attr);

}  // namespace csink

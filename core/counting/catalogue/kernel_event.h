#pragma once

#include <string>

#include "core/counting/catalogue/native_catalogue.h"
#include "core/events/event_alias.h"

/// File: events of the kernel's own, encoded without libpfm4, which saves 2 ms until the first
/// count. A test compares each result with libpfm4's. Signals: not safe (heap).

namespace csink {

/// Name, description and number that libpfm4 gives to the PMU of the kernel's generic events.
inline constexpr std::string_view kKernelPmuName = "perf";
inline constexpr std::string_view kKernelPmuText = "perf_events generic PMU";
inline constexpr int kKernelPmuNumber = 51;  ///< PFM_PMU_PERF_EVENT

/// An event of the kernel's with its modifiers.
struct KernelEvent {
  /// Never null after success; static.
  const EventAlias* alias = nullptr;
  NativeEncoding encoding;
  std::string mask_text;  ///< Descriptions of its modifiers, as libpfm4 gives them
};

/// Encodes an event such as "perf::TASK-CLOCK" or "page-faults:u=1:k=0"; modifiers are u and k.
/// Without "perf::" only software events are accepted, whose names no PMU of libpfm4 has, or with
/// `any_name` all aliases. Returns false if the name is something else, or has another modifier or
/// a contradiction: libpfm4 must then be asked. `event` is undefined then.
bool EncodeKernelEvent(std::string_view name, bool any_name, KernelEvent& event);

}  // namespace csink

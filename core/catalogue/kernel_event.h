#pragma once

#include <string>

#include "core/catalogue/native_catalogue.h"
#include "core/events/event_alias.h"

/// File: the kernel's own events, which need no libpfm4: 2 ms less until the first
/// count. A test holds every answer against libpfm4's.

namespace csink {

inline constexpr std::string_view kKernelPmuName = "perf";
inline constexpr std::string_view kKernelPmuText = "perf_events generic PMU";
inline constexpr int kKernelPmuNumber = 51;  ///< PFM_PMU_PERF_EVENT

struct KernelEvent {
  const EventAlias* alias = nullptr;
  NativeEncoding encoding;
  std::string mask_text;
};

/// "perf::TASK-CLOCK", "page-faults:u=1:k=0". Without "perf::" only the software events,
/// whose names no PMU of libpfm4 has, or with `any_name` all of them. Modifiers: u and k.
/// False: libpfm4 must say.
bool EncodeKernelEvent(std::string_view name, bool any_name, KernelEvent& event);

}  // namespace csink

#pragma once

#include <memory>

#include "core/components/device/device_source.h"
#include "core/components/rapl/msr.h"
#include "core/perf/kernel.h"
#include "core/system/cpu_info.h"
#include "core/system/system_tree.h"

/// File: the source rapl, for tests. See device_sources.h.

namespace csink {

/// MakeRaplSource with given registers and CPUID. For tests. `kernel` must outlive the source.
std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid);

}  // namespace csink

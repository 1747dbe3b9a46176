#pragma once

#include <memory>

#include "core/components/device/device_source.h"
#include "core/components/rapl/msr.h"
#include "core/perf/kernel.h"
#include "core/system/cpu_info.h"
#include "core/system/system_tree.h"

/// File: the source rapl, for tests. device_sources.h has the one that the component uses: its
/// registers are those of /dev/cpu, its CPUID that of this processor.

namespace csink {

/// MakeRaplSource with given registers and CPUID, so that a test can have the processor of a
/// recorded tree. `kernel` must outlive the source; the source owns `registers` and copies the
/// rest.
std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid);

}  // namespace csink

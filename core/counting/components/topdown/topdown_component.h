#pragma once

#include <memory>
#include <string>

#include "core/counting/components/component.h"
#include "core/perf/kernel.h"
#include "core/topdown/topdown_model.h"

/// File: the component topdown (docs/design/topdown.md, docs/topdown.md).

namespace csink {

/// PAPI's component "topdown": shares of the processor's slots in percent, each as a double. The
/// names are TOPDOWN_RETIRING_PERC and the others of PAPI 7.2, and two of our own for processors
/// that count more. The events are those of core/topdown; which shares exist depends on the
/// processor. The component is disabled where core/topdown has no model, or the kernel refuses its
/// events. `kernel` must outlive it.
std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel);

/// The same for another processor, with the kernel's files below `root` ("" for this machine's).
/// For tests.
std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel, const Processor& processor,
                                                std::string root);

}  // namespace csink

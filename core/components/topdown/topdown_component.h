#pragma once

#include <memory>
#include <string>

#include "core/components/component.h"
#include "core/perf/kernel.h"
#include "core/topdown/topdown_model.h"

namespace csink {

/// PAPI's component "topdown": shares of the processor's slots in percent, each a double
/// (TOPDOWN_RETIRING_PERC and PAPI 7.2's other names; two of our own where the processor counts
/// more). The events behind them are core/topdown's.
std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel);

/// The same for any processor and any kernel's files below `root`.
std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel, const Processor& processor,
                                                std::string root);

}  // namespace csink

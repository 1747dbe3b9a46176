#pragma once

#include <memory>

#include "core/counting/components/component.h"

/// File: the component sysdetect.

namespace csink {

/// The component "sysdetect": PAPI has it for its functions about devices (devices.h). It has no
/// events; its sets can be configured without events, started and stopped.
std::unique_ptr<Component> MakeSysdetectComponent();

}  // namespace csink

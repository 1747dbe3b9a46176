#pragma once

#include <memory>

#include "core/components/component.h"

namespace csink {

/// The component "sysdetect": PAPI has it for its functions about devices. It has no events.
std::unique_ptr<Component> MakeSysdetectComponent();

}  // namespace csink

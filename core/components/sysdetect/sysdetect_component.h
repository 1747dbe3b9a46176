#pragma once

#include <memory>

#include "core/components/component.h"

namespace csink {

/// sysdetect: what PAPI calls the component behind its questions about devices. It counts nothing.
std::unique_ptr<Component> MakeSysdetectComponent();

}  // namespace csink

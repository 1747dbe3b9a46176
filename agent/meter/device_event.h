#pragma once

#include <string_view>

namespace csink::agent {

/// `csink-meter describe EVENT [json]`: what a counter of a device ("component:::event") is, or why
/// it cannot be read here, for `csink doctor --event`. Text or the object of docs/energy.md on
/// standard output, complaints on standard error. The exit status: 0 it can be read, 1 not.
int DescribeDeviceEvent(std::string_view event, bool json);

}  // namespace csink::agent

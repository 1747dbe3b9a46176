#pragma once

#include <string_view>

namespace csink::agent {

/// `csink-meter describe EVENT [json]`, used by `csink doctor --event`: describes a device counter
/// ("component:::event"), or says why it cannot be read here. Prints text, or the JSON object of
/// docs/energy.md, on stdout and errors on stderr. Returns the exit status: 0: the counter can be
/// read; 1: it cannot, or stdout cannot be written. Loads the component's library into the calling
/// process. Threads: one.
int DescribeDeviceEvent(std::string_view event, bool json);

}  // namespace csink::agent

#pragma once

#include <string_view>

namespace csink {

/// Files in csink's cache folder whose names the agent and the csink tool must agree on.
/// Begin of the name of the file that keeps what sampling costs on a virtual machine; the host's
/// name follows. The agent writes it, `csink cache clear` removes it.
inline constexpr std::string_view kEventCostFile = "event-cost.";
/// Begin of the names of files that keep what a sample's interrupt costs on a machine. The csink
/// tool writes them, and `csink cache clear` removes them.
inline constexpr std::string_view kInterruptCostFile = "interrupt-cost.";

}  // namespace csink

#pragma once

namespace csink::tool {

/// Exit status: nothing to report, or not readable.
inline constexpr int kExitNothing = 1;
/// Exit status: wrong use.
inline constexpr int kExitUsage = 2;
/// Exit status if the CPU time exceeds the baseline's by more than View::fail_if_slower percent.
inline constexpr int kExitSlower = 3;

}  // namespace csink::tool

#pragma once

#include <cstdint>

#include "core/machine/frame_rule.h"

namespace csink {

/// The rule for `pc` out of the frame description (FDE) at `entry`; kUnknown when it does not cover
/// pc or is broken, kBeyondUs when it says something that we do not follow: a signal's frame, a CFA
/// from another register or a long expression.
/// Signals: safe (frame_rows_signal.cpp); system calls of `memory`.
FrameRule ReadFrameRule(OwnMemory& memory, std::uint64_t entry, std::uint64_t pc) noexcept;

}  // namespace csink

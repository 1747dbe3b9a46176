#pragma once

#include <cstdint>

#include "core/machine/frame_rule.h"

namespace csink {

/// The unwind rule for `pc` from the frame description (FDE) at address `entry`. Both are addresses
/// in this process. kUnknown: the description does not cover pc, or is malformed. kUnsupported: it
/// says something that FrameRule cannot express, such as a signal frame, a CFA based on another
/// register, or a long expression.
/// Reads at most 1 KiB of the description and 256 bytes of its CIE.
/// Format: LSB 5.0 core, chapter 10; DWARF 5, section 6.4.
/// Threads: one at a time (static buffers). Signals: safe (frame_rows_signal.cpp); makes the system
/// calls of `memory`.
FrameRule ReadFrameRule(OwnMemory& memory, std::uint64_t entry, std::uint64_t pc) noexcept;

}  // namespace csink

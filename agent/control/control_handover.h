#pragma once

#include <cstdint>
#include <string_view>

#include "agent/control/control.h"

/// File: what one image of a process leaves to the next about its control.
///
/// It is one line in PATH.next, beside the control fifo: "csink PID START_TICKS STATE FIFOS". STATE
/// is "as-set" or the name of a Sampling; FIFOS is 'c' or '-' and 'a' or '-' for the fifos that the
/// process has created. An environment variable would be visible to the program and its children. A
/// line that a killed process leaves behind does no harm: another process has another pid or start
/// and does not accept it (docs/design/agent.md).

namespace csink::agent {

/// The contents of the line.
struct Handover {
  /// `sampling` was requested; false: the settings say how the next image starts
  bool by_hand = false;
  Sampling sampling = Sampling::kRunning;
  bool made_commands = false;  ///< The next image removes the command fifo
  bool made_answers = false;   ///< The next image removes the answer fifo
};

/// Writes the line for this process, over an older one of its own. `fifo`: the expanded
/// CSINK_CONTROL. Returns false if the file cannot be written. Signals: safe.
bool LeaveHandover(std::string_view fifo, const Handover& handover) noexcept;

/// Reads and removes the line that the image before left to this process. Returns false if there is
/// none. A file of another user, or for another process, is left where it is. Signals: safe.
bool TakeHandover(std::string_view fifo, Handover& handover) noexcept;

/// Removes the line of this process, after an exec that failed. Signals: safe.
void DropHandover(std::string_view fifo) noexcept;

}  // namespace csink::agent

#pragma once

#include <cstdint>
#include <string_view>

#include "agent/control/control.h"

/// File: what one image of a process leaves to the next about its control.
///
/// It is one line in PATH.next, beside the control fifo: "csink PID START_TICKS STATE FIFOS". There
/// it needs no variable in an environment that is the program's, and outlives a kill as harmlessly
/// as the fifo does: who is another process, by pid and start, does not take it.

namespace csink::agent {

struct Handover {
  bool by_hand =
      false;  ///< `sampling` was asked for; else the settings say how the next one starts
  Sampling sampling = Sampling::kRunning;
  bool made_commands = false;  ///< The fifos are ours to remove
  bool made_answers = false;
};

/// Writes it for this process, over an older one of its own. False: it could not be. Signals: safe.
bool LeaveHandover(std::string_view fifo, const Handover& handover) noexcept;

/// Reads and removes what the image before left to this process. False: nothing was. A file of
/// another user's, or for another process, is left where it is. Signals: safe.
bool TakeHandover(std::string_view fifo, Handover& handover) noexcept;

/// After an exec that failed. Signals: safe.
void DropHandover(std::string_view fifo) noexcept;

}  // namespace csink::agent

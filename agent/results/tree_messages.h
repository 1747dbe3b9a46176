#pragma once

#include <cstdint>
#include <string_view>

#include "agent/process/process_state.h"
#include "agent/process/start_state.h"

namespace csink::agent {

/// Lets all messages of this process go to where the user of csink run reads them, in a process of
/// a tree; elsewhere nothing changes.
///
/// A message is written to descriptor 2 if that is still the stderr of csink run. Otherwise the
/// program has pointed it at a log of its own: the message goes to the tree's messages, which csink
/// run prints. Where these cannot be reached, it is written if descriptor 2 is that of this
/// process's start, and else dropped. In a sandbox it is written to descriptor 2, because the
/// filter was only asked for that.
///
/// Owns:    nothing; `process` and `start` must live as long as the process. Call once, before the
/// settings are read, whose mistakes are messages.
void SendMessagesToTree(char* const* environment, const ProcessState& process,
                        const StartState& start) noexcept;

/// The same for a tree whose folder and number are known. Does nothing if the folder's name is too
/// long (511 bytes). The messages themselves are sent by code that is safe in signal handlers.
void SendMessagesTo(std::string_view folder, std::uint64_t tree, const ProcessState& process,
                    const StartState& start) noexcept;

}  // namespace csink::agent

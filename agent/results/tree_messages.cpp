#include "agent/results/tree_messages.h"

#include "agent/settings/config.h"
#include "core/util/parse.h"

/// File: reads the environment once, at the start. What a handler may call is in
/// tree_messages_signal.cpp.

namespace csink::agent {

void SendMessagesToTree(char* const* environment, const ProcessState& process,
                        const StartState& start) noexcept {
  const char* folder = FindVariable(environment, "CSINK_SPOOL_DIR");
  const char* number = FindVariable(environment, "CSINK_TREE");
  const Result<std::uint64_t> tree = ParseUnsigned(number ? number : "");
  if (!folder || folder[0] != '/' || !tree || *tree == 0) return;
  SendMessagesTo(folder, *tree, process, start);
}

}  // namespace csink::agent

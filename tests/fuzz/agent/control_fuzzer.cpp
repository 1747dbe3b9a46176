#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/control/control_command.h"

// Any bytes through the control fifo's line maker and parser: the first byte says where to cut
// them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using csink::agent::ControlCommand;
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = all.empty() ? 0 : data[0] % all.size();
  csink::agent::ControlLines lines;
  for (const std::string_view piece : {all.substr(0, cut), all.substr(cut)}) {
    lines.Feed(piece, [](std::string_view line, bool too_long) {
      if (too_long && !line.empty()) std::abort();
      const ControlCommand command = csink::agent::ParseControlCommand(line);
      const bool bad = command.kind == ControlCommand::Kind::kBad;
      if (bad != (command.complaint.size() != 0)) std::abort();
      for (const char c : command.complaint.view()) {
        if (c < ' ' || c == 0x7f) std::abort();  // goes to terminals
      }
      for (const char c : command.argument) {
        if (static_cast<unsigned char>(c) < ' ') std::abort();  // stays one line
      }
      if (command.kind == ControlCommand::Kind::kMark && command.argument.empty()) std::abort();
    });
  }
  return 0;
}

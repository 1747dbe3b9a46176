#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/counting/catalogue/event_macros.h"

/// Any file gives groups that can be used, or "file:line: what". The first line of the text is an
/// event string that is expanded with the rest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const std::string_view string = text.substr(0, end);
  const std::string_view file =
      end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  std::string problem;
  const csink::Result<csink::EventMacros> macros = csink::EventMacros::Parse(file, "f", problem);
  if (!macros) {
    if (problem.rfind("f:", 0) != 0) std::abort();
    return 0;
  }
  for (const csink::MacroGroup& group : macros->groups()) {
    if (group.entries.empty() || group.chosen >= group.entries.size()) std::abort();
    if (group.name.empty() || group.event.empty()) std::abort();
  }
  const std::size_t colon = string.find(':');
  const std::string_view event = string.substr(0, colon);
  const std::string_view attributes =
      colon == std::string_view::npos ? std::string_view() : string.substr(colon + 1);
  csink::EventComplaint complaint;
  const auto groups = macros->GroupsOf("skx", event);
  const csink::Result<std::string> expanded =
      csink::EventMacros::Expand(groups, attributes, event, complaint);
  if (!expanded && complaint.size() == 0) std::abort();
  for (char c : complaint.view()) {
    if (c < ' ' || c > '~') std::abort();
  }
  return 0;
}

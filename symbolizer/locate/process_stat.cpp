#include "symbolizer/locate/process_stat.h"

#include <string_view>

#include "core/util/parse.h"
#include "core/util/text_file.h"

namespace csink::symbolizer {

std::optional<ProcessStat> ReadProcessStat(const std::string& folder) {
  // A process may end between open and read: then the text is empty.
  const std::string text = ReadTextFile(folder + "/stat");
  // The name in field 2 may contain blanks and parentheses, so the last ')' ends it (proc(5)).
  const auto end = text.rfind(')');
  if (end == std::string::npos || end + 2 > text.size()) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(end + 2);
  ProcessStat stat;
  const std::string_view state = NextToken(rest, ' ');
  if (state.size() != 1) return std::nullopt;
  stat.state = state.front();
  const auto parent = ParseUnsigned(NextToken(rest, ' '));
  // `rest` began with field 3 (state); field 4 is the parent, field 22 the start time.
  for (int field = 5; field < 22; ++field) NextToken(rest, ' ');
  const auto ticks = ParseUnsigned(NextToken(rest, ' '));
  if (!parent || !ticks) return std::nullopt;
  stat.parent = static_cast<std::uint32_t>(*parent);
  stat.start_ticks = *ticks;
  return stat;
}

}  // namespace csink::symbolizer

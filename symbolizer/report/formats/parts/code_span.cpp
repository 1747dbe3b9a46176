#include "symbolizer/report/formats/parts/code_span.h"

#include <algorithm>

#include "symbolizer/report/formats/parts/clean.h"

namespace csink::report {

std::string CodeSpan(const std::string& name) {
  std::string text;
  std::size_t run = 0, longest_run = 0;
  for (const char c : CleanForPage(name)) {
    // `|` would end the cell even here and is escaped; a backslash before it would undo that.
    if (c == '|') text += !text.empty() && text.back() == '\\' ? " \\" : "\\";
    text += c;
    run = c == '`' ? run + 1 : 0;
    longest_run = std::max(longest_run, run);
  }
  if (text.empty()) return "";
  // A span ends at a run of as many backticks as it began with. Readers take one blank from each
  // end if both ends have one.
  const std::string fence(longest_run + 1, '`');
  const bool needs_blanks = text.front() == '`' || text.back() == '`' || text.front() == ' ';
  const char* const blank = needs_blanks ? " " : "";
  return fence + blank + text + blank + fence;
}

}  // namespace csink::report

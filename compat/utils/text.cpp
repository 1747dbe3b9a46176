#include "compat/utils/text.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace csink::utils {
namespace {

// Takes the first line, without its newline, off `text`.
std::string_view NextLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Colours only for a terminal that understands them, and only where the user has not refused them.
bool Wanted() noexcept {
  const char* refused = std::getenv("NO_COLOR");
  if (refused && *refused) return false;
  const char* kind = std::getenv("TERM");
  return kind && std::strcmp(kind, "dumb") != 0 && isatty(STDOUT_FILENO);
}

// ANSI sequences (ECMA-48, SGR): bold, green, red, faint, and back to normal.
constexpr Colours kNone;
constexpr Colours kSome = {"\033[1m", "\033[32m", "\033[31m", "\033[2m", "\033[0m"};

}  // namespace

std::vector<std::string_view> Paragraphs(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  bool open = false;  // the last paragraph may continue
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    const bool as_it_is = !line.empty() && line[0] == ' ';
    if (line.empty() || as_it_is || !open) {
      if (!line.empty()) paragraphs.push_back(line);
    } else {
      // The lines of a paragraph are adjacent in the text, so the view is made longer; its newlines
      // stay and are blanks for Filled.
      std::string_view& last = paragraphs.back();
      last = {last.data(), static_cast<std::size_t>(line.data() + line.size() - last.data())};
    }
    open = !line.empty() && !as_it_is;
  }
  return paragraphs;
}

std::string Filled(std::string_view text, std::size_t indent, std::size_t column,
                   std::size_t width) {
  std::string filled;
  bool first = true;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == text.npos) return filled;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    // The first word stays on its line, even if it is too long.
    if (!first && column + 1 + word.size() > width) {
      filled += '\n';
      filled.append(indent, ' ');
      column = indent;
    } else if (!first) {
      filled += ' ';
      ++column;
    }
    filled += word;
    column += word.size();
    first = false;
  }
}

const Colours& Colour() noexcept {
  static const Colours& chosen = Wanted() ? kSome : kNone;
  return chosen;
}

}  // namespace csink::utils

#include "symbolizer/commands/show/config_command.h"

#include <unistd.h>

#include <optional>

#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/unreadable.h"
#include "symbolizer/report/wording/shorten.h"

/// File: prints the configuration that the agent stored in a spool, as commands for a shell. The
/// text is parsed strictly and written anew with quotes of our own, so that nothing in a spool can
/// reach a shell as a command. A value may contain newlines, so lines are taken by TakeLine and not
/// by splitting.

namespace csink::tool {
namespace {

/// The part of the spool that has the configuration. Empty if there is none, or if the header's
/// numbers lie outside of the file.
std::string_view ConfigurationOf(const spool::Spool& spool) {
  const std::uint64_t at = spool.header.configuration;
  const std::uint64_t size = spool.header.configuration_bytes;
  if (at == 0 || at > spool.bytes.size() || size > spool.bytes.size() - at) return {};
  return {reinterpret_cast<const char*>(spool.bytes.data()) + at, size};
}

/// Bytes of the names of settings.
bool IsNameByte(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Removes a quoted text from the front of `rest`: parts in single quotes with \' between them, as
/// a shell quotes a text with single quotes. nullopt if it is not of this form; `rest` is then
/// undefined.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  std::string value;
  for (;;) {
    if (rest.empty() || rest.front() != '\'') return std::nullopt;
    const std::size_t end = rest.find('\'', 1);
    if (end == std::string_view::npos) return std::nullopt;
    value += rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (rest.substr(0, 2) != "\\'") return value;
    value += '\'';
    rest.remove_prefix(2);
  }
}

/// Removes one line from the front of `rest`. Returns it with "export " in front; "" if it is not
/// an assignment to a CSINK_ variable. A refused line ends at its first newline, so text behind it
/// is tried again.
std::string TakeLine(std::string_view& rest) {
  constexpr std::string_view kPrefix = "CSINK_";
  std::string_view ahead = rest;
  std::size_t end = 0;
  while (end < ahead.size() && IsNameByte(ahead[end])) ++end;
  const std::string name(ahead.substr(0, end));
  ahead.remove_prefix(end);
  if (name.rfind(kPrefix, 0) == 0 && !ahead.empty() && ahead.front() == '=') {
    ahead.remove_prefix(1);
    const auto value = TakeQuoted(ahead);
    // A variable cannot contain NUL.
    if (value && value->find('\0') == std::string::npos && !ahead.empty() &&
        ahead.front() == '\n') {
      rest = ahead.substr(1);
      std::string line = "export " + name + "='";
      for (const char c : *value) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
      return line + "'\n";
    }
  }
  const std::size_t line_end = rest.find('\n');
  rest.remove_prefix(line_end == std::string_view::npos ? rest.size() : line_end + 1);
  return "";
}

/// Replaces control characters, which could change the state of the terminal. Only for a terminal:
/// a file or a shell needs the values as they are.
void KeepCursor(std::string& text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) c = '?';
  }
}

}  // namespace

std::string ExportLines(std::string_view lines, std::size_t& refused) {
  std::string text;
  while (!lines.empty()) {
    const std::string line = TakeLine(lines);
    if (line.empty()) ++refused;
    text += line;
  }
  return text;
}

int PrintConfigurations(const std::vector<std::string>& spools) {
  std::size_t printed = 0;
  std::size_t refused = 0;
  Unreadable unreadable(Unreadable::Level::kError);
  for (const std::string& path : spools) {
    const auto spool = spool::ReadSpoolFile(path);
    if (!spool) {
      unreadable.Add(path, spool.error());
      continue;
    }
    std::string text = ExportLines(ConfigurationOf(*spool), refused);
    if (text.empty()) {
      Complain(path + ": does not contain a configuration");
      continue;
    }
    if (spools.size() > 1) text = "# " + report::Printable(path) + "\n" + text;
    if (isatty(1)) KeepCursor(text);
    if (Print(text)) ++printed;
  }
  unreadable.SaySummary();
  if (refused > 0) {
    Complain(std::to_string(refused) +
             " lines of the configuration are ignored: they are not settings");
  }
  const bool whole = printed > 0 && printed == spools.size() && refused == 0;
  return whole ? 0 : kExitNothing;
}

}  // namespace csink::tool

#include "symbolizer/commands/show/raw_command.h"

#include "profil/reading/reader/file.h"
#include "profil/reading/reader/raw_dump.h"
#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/unreadable.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

// Lines that are collected for one write.
constexpr std::size_t kPiece = std::size_t{1} << 16;

/// Prints the records of one file. False: it was not written.
bool PrintFile(const std::string& path, bool with_path, Unreadable& unreadable) {
  const auto bytes =
      spool::ReadWholeFile(path, {spool::kMagic, sizeof spool::kMagic}, "too large for a spool");
  if (!bytes) {
    unreadable.Add(path, bytes.error());
    return false;
  }
  std::string text;
  bool written = true;
  if (with_path) text = "# " + report::Printable(path) + "\n";
  const auto dumped = spool::DumpSpool(*bytes, [&](std::string_view line) {
    text += line;
    if (text.size() < kPiece) return true;
    written = Print(text);
    text.clear();
    return written;
  });
  if (!dumped) {
    unreadable.Add(path, dumped.error());
    return false;
  }
  return written && Print(text);
}

}  // namespace

int PrintRaw(const std::vector<std::string>& spools) {
  std::size_t printed = 0;
  Unreadable unreadable(Unreadable::Level::kError);
  for (const std::string& path : spools) {
    printed += PrintFile(path, spools.size() > 1, unreadable) ? 1 : 0;
  }
  unreadable.SaySummary();
  return printed > 0 && printed == spools.size() ? 0 : kExitNothing;
}

}  // namespace csink::tool

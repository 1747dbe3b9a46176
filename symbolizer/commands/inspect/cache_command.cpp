#include "symbolizer/commands/inspect/cache_command.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/names/cache/folder.h"

namespace csink::tool {
namespace {

using symbolizer::cache::File;
using symbolizer::cache::Folder;

/// Rounded up, so that a file that is not empty does not show 0.
std::string Kib(std::uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; }

/// How long ago, from nanoseconds since 1970. A time in the future counts as now.
std::string Days(std::int64_t since_ns) {
  constexpr double kDayNs = 86'400e9;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  const double age = static_cast<double>(now.tv_sec) * 1e9 - static_cast<double>(since_ns);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f days ago", age < 0 ? 0 : age / kDayNs);
  return text;
}

/// The text of `csink cache show`. The files are listed most recently used first.
std::string Description(const symbolizer::cache::Settings& settings, const Folder* folder) {
  // List sorts by use, so that the last one is the first to be removed.
  const std::vector<File> files = folder == nullptr ? std::vector<File>() : folder->List();
  std::uint64_t bytes = 0;
  for (const File& file : files) bytes += file.bytes;
  std::string text = "folder      " + settings.folder + "\nfiles       " +
                     std::to_string(files.size()) + "\nsize        " + Kib(bytes) + " of at most " +
                     Kib(settings.max_bytes) + "\n";
  if (files.empty()) return text;
  return text + "last used   " + Days(files.front().used_ns) + "\nfirst to go " +
         Days(files.back().used_ns) + "\n";
}

}  // namespace

int RunCache(const std::string& action) {
  std::string problem;
  const auto settings = symbolizer::cache::SettingsFromEnvironment(&problem);
  if (!problem.empty()) Complain(problem);
  if (settings.folder.empty()) {
    Complain("the cache is off: CSINK_CACHE is 0, or neither XDG_CACHE_HOME nor HOME is a folder");
    return kExitNothing;
  }
  const auto folder = Folder::Open(settings.folder);
  // The folder exists and is refused: files of other users must not name functions. A folder that
  // does not exist is only empty.
  if (!folder && access(settings.folder.c_str(), F_OK) == 0) {
    Complain(
        settings.folder +
        " is not used: the cache must be your own folder and writable only by you (chmod 700)");
    return kExitNothing;
  }
  if (action == "show") {
    return Print(Description(settings, folder ? &*folder : nullptr)) ? 0 : kExitNothing;
  }
  const std::size_t removed = folder ? folder->Clear() : 0;
  return Print("removed " + std::to_string(removed) + " files\n") ? 0 : kExitNothing;
}

}  // namespace csink::tool

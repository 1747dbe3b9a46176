#include "symbolizer/commands/inspect/papi_command.h"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/launch/launch.h"

/// File: `csink papi`. The private libpapi is a small prefix (lib, bin, include, share) in
/// countersink/papi below the folder of libraries; scripts/cmake/CsinkInstallPlaces.cmake says why.

namespace csink::tool {
namespace {

/// Exit statuses of shells for a command that cannot be executed or was not found.
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

/// The path without its last part.
std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Puts a folder at the front of a variable with a list of folders.
void PutFirst(const char* variable, const std::string& folder) {
  const char* value = std::getenv(variable);
  setenv(variable, WithFirst(folder, value ? value : "").c_str(), 1);
}

/// Warns if the loader ignores LD_LIBRARY_PATH for the program, or cannot load our library into it.
/// The program runs all the same: its children may be other programs.
void WarnIfDeaf(const std::string& path) {
  const PreloadObstacle obstacle = ObstacleOf(path);
  if (obstacle == PreloadObstacle::kNone) return;
  Warn(path + " " + WordsFor(obstacle) + ": our libpapi is not loaded into it");
}

}  // namespace

PapiPlace FindPapi() {
  PapiPlace place;
  // Not the link libpapi.so, which only linkers need.
  const std::string installed = FindBeside("countersink/papi/lib/libpapi.so.7.0", "");
  if (!installed.empty()) {
    place.libraries = FolderOf(installed);
    place.prefix = FolderOf(place.libraries);
    place.programs = place.prefix + "/bin";
    return place;
  }
  // In a build tree the library has no prefix around it.
  const std::string built = FindBeside("libpapi.so.7.0", "../../compat/papi");
  // Beside csink in an installation there may be PAPI's own library of this name.
  constexpr char kBuildFolder[] = "/compat/papi";
  const std::string folder = FolderOf(built);
  if (built.empty() || !folder.ends_with(kBuildFolder)) return place;
  place.libraries = folder;
  place.programs = FolderOf(folder) + "/utils";
  return place;
}

std::string WithFirst(const std::string& first, const std::string& list) {
  std::string result = first;
  std::string rest = list;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string entry = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    if (!entry.empty() && entry != first) result += ":" + entry;
  }
  return result;
}

int RunPapi(const PapiOptions& options, const std::vector<std::string>& command) {
  if (command.empty() && !options.print_prefix) {
    Complain("the program is missing; usage: csink papi -- PROGRAM [ARG...] (csink papi --help)");
    return kExitUsage;
  }
  const PapiPlace place = FindPapi();
  if (place.libraries.empty()) {
    Complain(WhyNotFound("our libpapi",
                         " in countersink/papi below the folder of libraries; install package "
                         "countersink-papi, or all components"));
    return kExitNothing;
  }
  if (options.print_prefix) {
    if (place.prefix.empty()) {
      Complain("libpapi is in a build tree, which has no prefix: " + place.libraries);
      return kExitNothing;
    }
    return Print(place.prefix + "\n") ? 0 : kExitNothing;
  }
  PutFirst("LD_LIBRARY_PATH", place.libraries);
  PutFirst("PATH", place.programs);
  // An empty entry stands for the folders that man would look into without the variable.
  if (!place.prefix.empty()) {
    const char* pages = std::getenv("MANPATH");
    const std::string list = place.prefix + "/share/man:" + (pages ? pages : "");
    setenv("MANPATH", list.c_str(), 1);
  }

  const std::string path = FindProgram(command[0]);
  if (!path.empty()) WarnIfDeaf(path);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Replaces this process, so that signals and the exit status are the program's own.
  execvp(arguments[0], arguments.data());
  const int error = errno;
  Complain(command[0] + ": " + std::strerror(error));
  return error == ENOENT ? kNotFound : kCannotExecute;
}

}  // namespace csink::tool

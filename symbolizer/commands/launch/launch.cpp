#include "symbolizer/commands/launch/launch.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/machine/installed_program.h"
#include "core/settings/settings.h"
#include "core/settings/table.h"
#include "core/util/preloadable.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/console/messages.h"

/// File: finds installed files relative to this program (/proc/self/exe), so that an installed or a
/// build tree can be moved as a whole, and makes environments.

extern char** environ;

namespace csink::tool {
namespace {

/// The folder of this program; "." if /proc is not mounted.
std::string OwnFolder() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || n == sizeof path) return ".";
  const std::string text(path, static_cast<std::size_t>(n));
  return text.substr(0, text.rfind('/'));
}

/// The path without symbolic links; "" if there is no such file.
std::string Absolute(const std::string& path) {
  char* whole = realpath(path.c_str(), nullptr);
  if (!whole) return "";
  std::string result = whole;
  std::free(whole);
  return result;
}

/// The first folder on the way to `path` that this process may not search; "" if there is none.
std::string ClosedFolder(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash + 1);
    struct stat status;
    // Not access(2), which asks for the real user and without capabilities.
    if (stat((folder + ".").c_str(), &status) != 0) {
      if (errno != EACCES) return "";
      return folder.size() > 1 ? folder.substr(0, slash) : folder;
    }
  }
  return "";
}

constexpr char kHooks[] = "libcsink-critical.so";

/// The entries of LD_PRELOAD, which blanks or colons separate, without libagent.so and its hooks.
std::string WithoutAgent(const std::string& preload) {
  std::string kept;
  std::size_t at = 0;
  while (at < preload.size()) {
    const std::size_t end = std::min(preload.find_first_of(" :", at), preload.size());
    const std::string entry = preload.substr(at, end - at);
    at = end + 1;
    const std::string name = entry.substr(entry.rfind('/') + 1);
    if (entry.empty() || name == "libagent.so" || name == kHooks) continue;
    kept += (kept.empty() ? "" : ":") + entry;
  }
  return kept;
}

/// Whether the program gets CSINK_CRITICAL=1.
bool RecordsWaits(const Changes& changes) {
  const SettingRow& row = RowOf(Setting::kCritical);
  const std::string name = "CSINK_" + std::string(row.name);
  const char* set = std::getenv(name.c_str());
  std::string value = set ? set : "";
  for (const auto& change : changes) {
    if (change.first == name) value = change.second;
  }
  bool on = false;
  return ReadValue(row.setting, value, on) && on;
}

}  // namespace

std::string FindBeside(const std::string& file, const std::string& build_place) {
  const std::string folder = OwnFolder() + "/";
  // The installed places first, then the build tree.
  for (const std::string& place : {std::string("../" CSINK_LIBDIR), std::string("../lib"),
                                   std::string("../lib/" CSINK_MULTIARCH), std::string("../lib64"),
                                   std::string(CSINK_LIBEXEC_FROM_BIN), build_place}) {
    std::string found = Absolute(folder + place + "/" + file);
    if (!found.empty()) return found;
  }
  return "";
}

std::string WhyNotFound(const std::string& file, const std::string& otherwise) {
  const char* chosen = std::getenv("CSINK_AGENT");
  for (const std::string& place : {std::string(chosen ? chosen : ""), OwnFolder() + "/"}) {
    const std::string closed = ClosedFolder(place);
    if (!closed.empty()) {
      return file + " cannot be reached: user " + std::to_string(geteuid()) + " may not enter " +
             closed;
    }
  }
  return file + " was not found" + otherwise;
}

std::optional<std::string> FindAgent() {
  std::string found;
  if (const char* chosen = std::getenv("CSINK_AGENT"); chosen && *chosen) {
    found = Absolute(chosen);
    if (found.empty())
      Complain(WhyNotFound("libagent.so", std::string(" at CSINK_AGENT=") + chosen));
  } else {
    found = FindBeside("libagent.so", "../../agent");
    if (found.empty()) {
      Complain(WhyNotFound("libagent.so", " beside " + OwnFolder() +
                                              "; set CSINK_AGENT to the path of libagent.so"));
    }
  }
  if (found.empty()) return std::nullopt;
  // The dynamic linker would take the parts for several libraries (ld.so(8)).
  if (found.find_first_of(" :") != std::string::npos) {
    Complain(found + ": LD_PRELOAD does not accept a path with a blank or colon; move the library");
    return std::nullopt;
  }
  return found;
}

std::string FindHelper(const std::string& name) {
  // CSINK_AGENT chooses the installation or build, so the program near that library belongs to it.
  if (const char* chosen = std::getenv("CSINK_AGENT"); chosen && *chosen) {
    Text<4600> program;
    if (FindInstalled(Absolute(chosen), name, ProgramKind::kHelper, program)) {
      return std::string(program.view());
    }
  }
  return FindBeside(name, "../../agent");
}

std::string FindAttacher() { return FindHelper("csink-attach"); }

Environment::Environment(const std::string& agent, const Changes& changes) {
  // In the order of the entries: the agent, then those that the user has set.
  std::string preload = agent;
  // Beside the agent, also where $CSINK_AGENT has chosen it. Without the file the agent says that
  // it sees no waits.
  if (!agent.empty() && RecordsWaits(changes)) {
    const std::string hooks = agent.substr(0, agent.rfind('/') + 1) + kHooks;
    if (access(hooks.c_str(), R_OK) == 0) preload += ":" + hooks;
  }
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    // The agent comes first: its functions must be found before those of other libraries.
    if (name == "LD_PRELOAD") {
      const std::string others = text.substr(text.find('=') + 1);
      const std::string kept = agent.empty() ? WithoutAgent(others) : others;
      if (!kept.empty()) preload += (preload.empty() ? "" : ":") + kept;
      continue;
    }
    bool changed = false;
    // A variable must not be in the environment twice: getenv(3) would find the old value.
    for (const auto& change : changes) changed = changed || change.first == name;
    if (!changed) texts_.push_back(text);
  }
  if (!preload.empty()) texts_.push_back("LD_PRELOAD=" + preload);
  for (const auto& [name, value] : changes) texts_.push_back(name + "=" + value);
  // Only now, because adding texts moves them.
  for (std::string& text : texts_) pointers_.push_back(text.data());
  pointers_.push_back(nullptr);
}

std::string FindProgram(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  // Without PATH, the C library's default is used (confstr(3), _CS_PATH).
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "/bin:/usr/bin";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + command;
    struct stat status;
    // Folders may have the name of a command, and access(2) permits to "execute" them.
    if (stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return "";
}

PreloadObstacle ObstacleOf(const std::string& path) {
  // O_NONBLOCK: a FIFO must not block the explanation.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return fd ? FindPreloadObstacle(fd.get(), path) : PreloadObstacle::kNone;
}

std::string WhyNotPreloadable(const std::string& path) {
  const PreloadObstacle obstacle = ObstacleOf(path);
  switch (obstacle) {
    case PreloadObstacle::kNone:
      return "";
    case PreloadObstacle::kSetId:
    case PreloadObstacle::kCapabilities:
      return std::string(WordsFor(obstacle)) + ", and the dynamic linker ignores LD_PRELOAD there";
    default:
      return WordsFor(obstacle);
  }
}

}  // namespace csink::tool

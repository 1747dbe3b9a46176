#include "symbolizer/commands/launch/oom_kills.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/text_file.h"

/// File: the formats are those of the kernel's Documentation/admin-guide/cgroup-v2.rst,
/// cgroup-v1/memory.rst, cgroups(7) and proc(5). The cgroup file systems are expected at
/// /sys/fs/cgroup, where systemd and container runtimes mount them.

namespace csink::tool {
namespace {

/// The number in the line "oom_kill N"; nullopt: there is none.
std::optional<std::uint64_t> OomKillOf(const std::string& text) {
  // Both files have pairs of a key and a number, separated by blanks and newlines.
  std::istringstream lines(text);
  std::string key;
  std::string value;
  while (lines >> key >> value) {
    if (key != "oom_kill") continue;
    const auto count = ParseUnsigned(value);
    return count ? std::optional<std::uint64_t>(*count) : std::nullopt;
  }
  return std::nullopt;
}

/// The count of a cgroup. In a container the path may be that of the host, while only the
/// container's own cgroup is mounted; then the folder of the mount is tried.
std::optional<std::uint64_t> CountOf(const std::string& mount, const std::string& path,
                                     const char* file) {
  if (const auto count = OomKillOf(ReadTextFile(mount + path + "/" + file))) return count;
  return OomKillOf(ReadTextFile(mount + "/" + file));
}

/// Whether a list of controllers, separated by commas, has "memory".
bool HasMemory(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",memory,") != std::string::npos;
}

}  // namespace

OomKills OomKills::Since(const OomKills& before) const {
  return {cgroup - std::min(cgroup, before.cgroup)};
}

OomKills ReadOomKills(const std::string& root) {
  OomKills kills;
  const std::string mount = root + "/sys/fs/cgroup";
  // "4:memory:/path" for version 1, "0::/path" for version 2.
  std::istringstream lines(ReadTextFile(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    std::optional<std::uint64_t> count;
    if (HasMemory(controllers)) {
      count = CountOf(mount + "/memory", path, "memory.oom_control");
    } else if (controllers.empty()) {
      count = CountOf(mount, path, "memory.events");
    }
    // With both versions mounted, only one of them has the controller of memory; the other has no
    // count.
    kills.cgroup = std::max(kills.cgroup, count.value_or(0));
  }
  return kills;
}

}  // namespace csink::tool

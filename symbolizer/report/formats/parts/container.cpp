#include "symbolizer/report/formats/parts/container.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "symbolizer/names/locate/live_process.h"

namespace csink::report {
namespace {

/// Hexadecimal digits of the ids of Docker, containerd, Podman and CRI-O.
constexpr std::size_t kIdDigits = 64;

/// Whether the file system's path ends a name at this character.
bool IsBorder(char c) { return c == '/' || c == '-' || c == '.' || c == ':' || c == ' '; }

/// The last id in a line; empty: none.
std::string_view IdInLine(std::string_view line) {
  std::string_view id;
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    while (end < line.size() && !IsBorder(line[end])) ++end;
    const std::string_view part = line.substr(begin, end - begin);
    if (part.size() == kIdDigits && part.find_first_not_of("0123456789abcdef") == part.npos) {
      id = part;
    }
    begin = end + 1;
  }
  return id;
}

/// The text of a file in /proc, of which the size is not known before. Empty: not readable.
std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines of mountinfo that a container's runtime adds from the container's own folder. Other
/// lines may have 64 digits as well: layers of images do.
std::string RuntimeMounts(const std::string& mountinfo) {
  std::string lines;
  for (std::size_t begin = 0; begin < mountinfo.size();) {
    const std::size_t end = std::min(mountinfo.find('\n', begin), mountinfo.size());
    const std::string_view line = std::string_view(mountinfo).substr(begin, end - begin);
    for (const std::string_view place : {" /etc/hostname ", " /etc/hosts ", " /etc/resolv.conf "}) {
      if (line.find(place) != line.npos) lines.append(line).append("\n");
    }
    begin = end + 1;
  }
  return lines;
}

/// The process's folder in /proc; empty: it has ended. A pid of another process is recognised by
/// its start time.
std::string FolderOf(const ProcessRow& process) {
  if (symbolizer::HasStart("/proc", process.pid, process.start_ticks)) {
    return "/proc/" + std::to_string(process.pid);
  }
  // A process of another pid namespace is searched for among all processes, which takes long, so
  // only if it was alive when its spool was read.
  if (process.state != ProcessState::kLive) return {};
  const symbolizer::ProcessId wanted[] = {{process.pid, process.start_ticks}};
  const auto pids = symbolizer::FindLiveProcesses("/proc", wanted);
  return pids.empty() ? std::string() : "/proc/" + std::to_string(pids[0]);
}

}  // namespace

std::string ContainerIdIn(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view id = IdInLine(text.substr(0, end));
    if (!id.empty()) return std::string(id);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::string ContainerOf(const ProcessRow& process) {
  std::array<char, 256> host{};
  // A pid of another machine says nothing here. A name that was cut is not equal to any.
  if (gethostname(host.data(), host.size() - 1) != 0 || process.host != host.data()) return {};
  const std::string folder = FolderOf(process);
  if (folder.empty()) return {};
  // With a cgroup namespace this file shows only "/". The mounts of the runtime then have the id.
  std::string id = ContainerIdIn(TextOf(folder + "/cgroup"));
  if (id.empty()) id = ContainerIdIn(RuntimeMounts(TextOf(folder + "/mountinfo")));
  return id;
}

}  // namespace csink::report

#include "symbolizer/names/locate/live_process.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string_view>

#include "core/util/maps_line.h"
#include "core/util/parse.h"
#include "core/util/text_file.h"

namespace csink::symbolizer {
namespace {

/// A program may map a file as often as it likes.
constexpr std::size_t kMaxMappings = 64;

std::string ProcFolder(const std::string& proc, std::uint32_t pid) {
  return proc + "/" + std::to_string(pid);
}

/// Start time of a process; 0: there is no such process.
std::uint64_t StartTicks(const std::string& folder) {
  const auto stat = ReadProcessStat(folder);
  return stat ? stat->start_ticks : 0;
}

/// The offset of a process's time namespace to the clock of the boot, in clock ticks
/// (time_namespaces(7)); 0 on kernels before 5.6.
std::int64_t BootOffsetTicks(const std::string& folder) {
  std::ifstream file(folder + "/timens_offsets");
  std::string clock;
  std::int64_t seconds = 0, nanoseconds = 0;
  while (file >> clock >> seconds >> nanoseconds) {
    if (clock != "boottime") continue;
    const std::int64_t a_second = ::sysconf(_SC_CLK_TCK);
    return seconds * a_second + nanoseconds * a_second / 1'000'000'000;
  }
  return 0;
}

/// The pid in the process's innermost pid namespace (the last number in NSpid); 0: unknown.
std::uint32_t InnermostPid(const std::string& folder) {
  std::ifstream file(folder + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("NSpid:")) continue;
    const std::size_t blank = line.find_last_of(" \t");
    const auto number = ParseUnsigned(std::string_view(line).substr(blank + 1));
    return number ? static_cast<std::uint32_t>(*number) : 0;
  }
  return 0;
}

/// The numbers among the entries of /proc.
std::vector<std::uint32_t> AllProcesses(const std::string& proc) {
  std::vector<std::uint32_t> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(proc.c_str()), ::closedir);
  if (!folder) return all;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    if (const auto pid = ParseUnsigned(entry->d_name)) {
      all.push_back(static_cast<std::uint32_t>(*pid));
    }
  }
  return all;
}

}  // namespace

bool HasStart(const std::string& proc, std::uint32_t pid, std::uint64_t start_ticks) {
  const std::string folder = ProcFolder(proc, pid);
  const std::uint64_t ticks = StartTicks(folder);
  if (ticks == 0 || start_ticks == 0) return false;
  if (ticks == start_ticks) return true;
  // The agent read the number inside of the process's time namespace, /proc shows it to us in ours.
  const std::int64_t shift = BootOffsetTicks(folder) - BootOffsetTicks(proc + "/self");
  if (shift == 0) return false;
  const std::int64_t difference =
      static_cast<std::int64_t>(ticks + static_cast<std::uint64_t>(shift) - start_ticks);
  // The kernel adds the offset before it divides by the length of a tick.
  return difference >= -1 && difference <= 1;
}

std::vector<std::uint32_t> FindLiveProcesses(const std::string& proc,
                                             std::span<const ProcessId> wanted) {
  std::vector<std::uint32_t> found;
  std::vector<ProcessId> missing;
  for (const ProcessId& process : wanted) {
    if (process.pid == 0 || process.start_ticks == 0) continue;
    if (HasStart(proc, process.pid, process.start_ticks)) {
      found.push_back(process.pid);
    } else {
      missing.push_back(process);
    }
  }
  if (missing.empty()) return found;
  // Only processes of other pid namespaces need the search through all of /proc, which is slow.
  for (const std::uint32_t pid : AllProcesses(proc)) {
    const std::uint32_t inner = InnermostPid(ProcFolder(proc, pid));
    if (inner == 0 || inner == pid) continue;
    const auto is_it = [&](const ProcessId& id) {
      return id.pid == inner && HasStart(proc, pid, id.start_ticks);
    };
    if (std::any_of(missing.begin(), missing.end(), is_it)) found.push_back(pid);
  }
  return found;
}

std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path) {
  std::vector<MappedFile> mappings;
  const std::string folder = ProcFolder(proc, pid);
  const std::string root = folder + "/root";
  std::ifstream file(folder + "/maps");
  for (std::string line; std::getline(file, line) && mappings.size() < kMaxMappings;) {
    MapsLine parsed;
    if (!ParseMapsLine(line, parsed) || !parsed.executable) continue;
    MappedFile mapping{line.substr(0, line.find(' ')), parsed.dev_major, parsed.dev_minor,
                       parsed.inode, false};
    std::string name(parsed.path);
    const NamedFile named = {parsed.inode, parsed.dev_major, parsed.dev_minor, /*escaped=*/true};
    const DecodedName decoded = DecodeFileName(name.data(), name.size(), named, root.c_str());
    name.resize(decoded.bytes);
    mapping.is_deleted = decoded.deleted;
    if (name == path) mappings.push_back(std::move(mapping));
  }
  return mappings;
}

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

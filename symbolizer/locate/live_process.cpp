#include "symbolizer/locate/live_process.h"

#include <dirent.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string_view>

#include "core/util/parse.h"
#include "core/util/text_file.h"

namespace csink::symbolizer {
namespace {

/// A program may map a file as often as it likes.
constexpr std::size_t kMaxMappings = 64;
constexpr std::string_view kDeleted = " (deleted)";

std::string ProcFolder(const std::string& proc, std::uint32_t pid) {
  return proc + "/" + std::to_string(pid);
}

/// Start time of a process; 0: there is no such process.
std::uint64_t StartTicks(const std::string& folder) {
  const auto stat = ReadProcessStat(folder);
  return stat ? stat->start_ticks : 0;
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

std::vector<std::uint32_t> FindLiveProcesses(const std::string& proc,
                                             std::span<const ProcessId> wanted) {
  std::vector<std::uint32_t> found;
  std::vector<ProcessId> missing;
  for (const ProcessId& process : wanted) {
    if (process.pid == 0 || process.start_ticks == 0) continue;
    if (StartTicks(ProcFolder(proc, process.pid)) == process.start_ticks) {
      found.push_back(process.pid);
    } else {
      missing.push_back(process);
    }
  }
  if (missing.empty()) return found;
  // Only processes of other pid namespaces need the search through all of /proc, which is slow.
  for (const std::uint32_t pid : AllProcesses(proc)) {
    const std::string folder = ProcFolder(proc, pid);
    const std::uint64_t ticks = StartTicks(folder);
    const auto same_start = [&](const ProcessId& id) { return id.start_ticks == ticks; };
    if (ticks == 0 || std::none_of(missing.begin(), missing.end(), same_start)) continue;
    const std::uint32_t inner = InnermostPid(folder);
    const auto is_it = [&](const ProcessId& id) { return same_start(id) && id.pid == inner; };
    if (inner != pid && std::any_of(missing.begin(), missing.end(), is_it)) found.push_back(pid);
  }
  return found;
}

std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path) {
  std::vector<MappedFile> mappings;
  std::ifstream file(ProcFolder(proc, pid) + "/maps");
  for (std::string line; std::getline(file, line) && mappings.size() < kMaxMappings;) {
    // A line: "start-end perms offset major:minor inode   path". %n comes last, and is set only if
    // all fields before it were read.
    char range[64], flags[8];
    unsigned long offset = 0, inode = 0;
    unsigned device_major = 0, device_minor = 0;
    int name_at = 0;
    if (std::sscanf(line.c_str(), "%63s %7s %lx %x:%x %lu %n", range, flags, &offset, &device_major,
                    &device_minor, &inode, &name_at) != 6 ||
        name_at == 0 || flags[2] != 'x') {
      continue;
    }
    MappedFile mapping{range, device_major, device_minor, inode, false};
    std::string_view name = std::string_view(line).substr(static_cast<std::size_t>(name_at));
    if (name != path && name.ends_with(kDeleted)) {
      name.remove_suffix(kDeleted.size());
      mapping.is_deleted = true;
    }
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

#include "core/counting/system/system_tree.h"

#include <dirent.h>

#include <algorithm>

#include "core/util/parse.h"
#include "core/util/text_file.h"

// File: all files are named below a root, which tests replace. A file that is missing reads as
// empty: for facts about a machine the two mean the same.

namespace csink {
namespace {

// One allocation: a topology of 512 CPUs is read by several thousand paths.
std::string Joined(std::string_view root, std::string_view path) {
  std::string name;
  name.reserve(root.size() + path.size());
  return name.append(root).append(path);
}

}  // namespace

std::string SystemTree::PathOf(std::string_view path) const { return Joined(root_, path); }

const std::string& SystemTree::Cpuinfo() const {
  // The file is read once for all questions: it has some 1,500 bytes for each CPU, and the kernel
  // writes it anew for each reader.
  std::call_once(cpuinfo_->once, [this] { cpuinfo_->text = Read("/proc/cpuinfo"); });
  return cpuinfo_->text;
}

std::string SystemTree::Read(std::string_view path) const {
  return ReadTextFile(Joined(root_, path));
}

std::string SystemTree::Line(std::string_view path) const {
  const std::string text = Read(path);
  return std::string(Trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

std::optional<std::uint64_t> SystemTree::Number(std::string_view path) const {
  // nullopt also for a file with something else than a number: "<not supported>" and "-1" occur in
  // sysfs.
  const Result<std::uint64_t> number = ParseUnsigned(Line(path));
  if (!number) return std::nullopt;
  return *number;
}

std::vector<unsigned> ParseCpuList(std::string_view text) {
  std::vector<unsigned> cpus;
  text = Trimmed(text);
  while (!text.empty()) {
    std::string_view range = NextToken(text, ',');
    const Result<std::uint64_t> first = ParseUnsigned(NextToken(range, '-'));
    // A list may end in what this code does not know; the part before is still right.
    if (!first || *first >= SystemTree::kMaxCpus) break;
    std::uint64_t last = *first;
    if (!range.empty()) {
      const Result<std::uint64_t> end = ParseUnsigned(range);
      if (!end || *end >= SystemTree::kMaxCpus) break;
      last = *end;
    }
    // Ranges may overlap in a damaged file: the total is limited, too.
    for (std::uint64_t cpu = *first; cpu <= last && cpus.size() < 2 * SystemTree::kMaxCpus; ++cpu) {
      cpus.push_back(static_cast<unsigned>(cpu));
    }
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<unsigned> SystemTree::CpuList(std::string_view path) const {
  return ParseCpuList(Line(path));
}

std::vector<std::string> SystemTree::Names(std::string_view path) const {
  std::vector<std::string> names;
  DIR* const folder = opendir(Joined(root_, path).c_str());
  if (!folder) return names;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    // The order of readdir is that of a hash table in the kernel; the names are sorted below, so
    // that events are numbered alike in each process.
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace csink

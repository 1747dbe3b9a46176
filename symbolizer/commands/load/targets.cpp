#include "symbolizer/commands/load/targets.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/util/parse.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/spool_files.h"

namespace csink::tool {
namespace {

/// The spools of a pid with those of its earlier images: the one that the process has mapped, else
/// those that it left behind in the usual folders.
std::vector<std::string> SpoolsOfPid(std::uint32_t pid) {
  if (const auto mapped = MappedSpool(pid)) {
    std::vector<std::string> spools = OtherImages(*mapped);
    spools.push_back(*mapped);
    return spools;
  }
  std::vector<SpoolName> found;
  for (const std::string& root : SpoolRoots()) {
    std::vector<std::string> folders = TreesIn(root);
    folders.push_back(root);
    for (const std::string& folder : folders) {
      for (const std::string& path : SpoolsIn(folder)) {
        const auto name = ParseSpoolName(path);
        if (name && name->pid == pid) found.push_back(*name);
      }
    }
  }
  // Pids are reused: the process that started last is used.
  std::vector<std::string> spools;
  const auto latest = std::max_element(
      found.begin(), found.end(),
      [](const SpoolName& a, const SpoolName& b) { return a.start_ticks < b.start_ticks; });
  for (const SpoolName& name : found) {
    if (name.SameProcess(*latest)) spools.push_back(name.path);
  }
  return spools;
}

/// The spools that one argument refers to. Prints an error if there are none.
std::vector<std::string> SpoolsOf(const std::string& target) {
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    if (access(target.c_str(), R_OK | X_OK) != 0) {
      Complain(target + ": cannot be read (" + std::strerror(errno) + ")");
      return {};
    }
    const std::vector<std::string> spools = SpoolsBelow(target);
    if (spools.empty() && !OpenSpoolFolder(target)) {
      Complain(target + kNotTrusted);
    } else if (spools.empty()) {
      Complain(target + ": no spool in this folder");
    }
    return spools;
  }
  const auto pid = ParseUnsigned(target);
  // A file that does not exist is reported when it is read.
  if (exists || !pid || *pid > 0x7fffffff) return {target};
  const auto spools = SpoolsOfPid(static_cast<std::uint32_t>(*pid));
  if (spools.empty()) {
    const bool runs = StartTicks(static_cast<std::uint32_t>(*pid)).has_value();
    Complain(runs ? "process " + target +
                        " has no spool: the process has fewer than 10 samples so far, or runs "
                        "without libagent.so"
                  : "no process " + target + " is running, and no spool of this process was found");
  }
  return spools;
}

}  // namespace

std::vector<std::string> SpoolsOfAll(const std::vector<std::string>& targets, std::size_t& failed) {
  std::vector<std::string> paths;
  for (const std::string& target : targets) {
    const auto spools = SpoolsOf(target);
    if (spools.empty()) ++failed;
    paths.insert(paths.end(), spools.begin(), spools.end());
  }
  std::sort(paths.begin(), paths.end());
  // A file may also be in a folder that was given
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace csink::tool

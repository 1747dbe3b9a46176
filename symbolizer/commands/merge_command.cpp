#include "symbolizer/commands/merge_command.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "profil/model/merged_file.h"
#include "profil/reader/small_reader.h"
#include "symbolizer/commands/output.h"
#include "symbolizer/commands/report_command.h"
#include "symbolizer/commands/whole_file.h"

namespace csink::tool {
namespace {

/// Problems of spools that are printed.
constexpr std::size_t kProblemsShown = 20;

/// By device and inode, because one file may have several paths.
bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool Write(const std::string& path, const std::vector<std::byte>& bytes) {
  const auto written =
      WriteWholeFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!written) {
    Complain("cannot write " + path + " (" + std::strerror(written.error().sys_errno) + ")");
  }
  return written.has_value();
}

}  // namespace

int RunMerge(const MergeCommandOptions& options) {
  // The next report of the folder would read the merged file as records.
  if (spool::IsSmallFile(options.output)) {
    Complain("-o " + options.output +
             ": this name is reserved for a tree's records; choose another name");
    return kExitUsage;
  }
  std::size_t failed = 0;
  std::vector<std::string> paths = SpoolsOfAll(options.targets, failed);
  const auto is_output = [&](const std::string& path) { return IsSameFile(path, options.output); };
  // The result of an earlier merge in the same folder would be counted twice, so it is left out,
  // unless the user names it in order to add to it.
  if (std::none_of(options.targets.begin(), options.targets.end(), is_output)) {
    paths.erase(std::remove_if(paths.begin(), paths.end(), is_output), paths.end());
  }
  Profile profile = LoadProfile(paths, failed,
                                {.keep_callers = true,
                                 .keep_phases = true,
                                 .keep_threads = options.per_thread,
                                 .max_processes = options.max_processes,
                                 .max_threads = options.max_threads});
  for (std::size_t i = 0; i < profile.problems.size() && i < kProblemsShown; ++i) {
    Warn(profile.problems[i]);
  }
  if (profile.processes.empty()) {
    if (failed == 0) Complain("nothing to merge");
    return kExitNothing;
  }
  const auto bytes = BuildMergedFile(profile);
  if (!bytes) {
    Complain(std::string("cannot merge: ") + bytes.error().what);
    return kExitNothing;
  }
  return Write(options.output, *bytes) && failed == 0 ? 0 : kExitNothing;
}

}  // namespace csink::tool

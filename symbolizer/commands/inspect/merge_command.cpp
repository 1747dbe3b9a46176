#include "symbolizer/commands/inspect/merge_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/small_reader.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/targets.h"

namespace csink::tool {
namespace {

/// The error of the system call that failed last.
Error Failed() { return Error{ErrcFromErrno(errno), errno, "cannot be written"}; }

/// Opens the file and writes to it, for files that cannot be replaced.
Result<void> WriteInPlace(const std::string& path, std::string_view bytes, int flags) {
  // O_NOCTTY: the path may be a terminal, which must not become that of this process.
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags, 0666));
  if (!fd) return Failed();
  return WriteAll(fd.get(), bytes);
}

/// Writes PATH.part and renames it. O_NOFOLLOW: in a folder of several users PATH.part might be a
/// link to another file. After an error PATH.part is removed.
Result<void> Replace(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  const UniqueFd fd(
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd) return Failed();
  Result<void> written = WriteAll(fd.get(), bytes);
  if (written && rename(part.c_str(), path.c_str()) != 0) written = Failed();
  if (!written) unlink(part.c_str());
  return written;
}

/// The target of a chain of symbolic links. Empty if it does not exist, or cannot be determined.
std::string Resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  return real ? real.get() : "";
}

/// Replaces a file atomically: writes `bytes` to PATH.part and renames it to PATH, so that a reader
/// sees the old or the new contents. Symbolic links are followed: the target is replaced, or
/// created if it does not exist. A file that is not regular (FIFO, terminal, /dev/null) is opened
/// and written directly, as a shell does. Two writers of one file at a time are not supported.
/// Errors carry errno; the former contents of PATH are then unchanged, unless it is not a regular
/// file.
Result<void> WriteWholeFile(const std::string& path, std::string_view bytes) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return WriteInPlace(path, bytes, 0);
  }
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return Replace(path, bytes);
  // The target is replaced, not the link: rename(2) onto the link would replace the link by a file.
  const std::string target = Resolved(path);
  // A link without a target cannot be resolved; open(2) with O_CREAT creates the target.
  return target.empty() ? WriteInPlace(path, bytes, O_CREAT | O_TRUNC) : Replace(target, bytes);
}

/// Problems of spools that are printed.
constexpr std::size_t kProblemsShown = 20;

/// By device and inode, because one file may have several paths.
bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// Writes the file. Prints an error and returns false if that fails.
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
                                 .keep_ranks = true,
                                 .python = PythonView::kAsStored,
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

#include "symbolizer/commands/load/load_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "profil/format/format.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/spool_files.h"

/// File: reads what `csink diff` and --baseline compare. The kind of a file is decided by its first
/// bytes: the magic number of spools, else JSON.

namespace csink::tool {
namespace {

/// Limit for JSON reports: a report of a million functions has 400 MB.
constexpr off_t kMostJsonBytes = off_t{1} << 30;

/// Whether the bytes begin as a spool or merged file does.
bool IsSpool(std::string_view text) {
  return text.size() >= sizeof spool::kMagic &&
         std::memcmp(text.data(), spool::kMagic, sizeof spool::kMagic) == 0;
}

/// The bytes of a file; of a spool only the beginning, because other code reads spools. Uses
/// read(2): an ifstream throws if a file can be opened but not read. Errors: kSystem and others
/// with errno; kLimit (`size`, or the contents, are larger than a report can be).
Result<std::string> ReadRunFile(const std::string& file, off_t size) {
  // The file is not trusted: O_NONBLOCK for a FIFO that came in its place, O_NOCTTY for a terminal.
  const UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return Error{ErrcFromErrno(errno), errno, "cannot be read"};
  std::string text;
  std::size_t done = 0;
  for (;;) {
    constexpr std::size_t kPiece = 1 << 16;
    // Doubling the buffer reads a large report in few calls.
    text.resize(done + std::max(done, kPiece));
    const ssize_t n = read(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrcFromErrno(errno), errno, "cannot be read"};
    done += static_cast<std::size_t>(n);
    if (n == 0 || IsSpool(std::string_view(text).substr(0, done))) break;
    if (std::max(size, static_cast<off_t>(done)) > kMostJsonBytes) {
      return Error{Errc::kLimit, 0, "neither a spool nor a JSON report of csink"};
    }
  }
  text.resize(done);
  return text;
}

/// What is wrong, with the system's error if there is one.
std::string WhatIsWrong(const Error& error) {
  if (error.sys_errno == 0) return error.what;
  return std::string(error.what) + " (" + std::strerror(error.sys_errno) + ")";
}

/// The sum of spools as a run. Prints an error and returns nullopt if they cannot be read or have
/// no samples.
std::optional<report::Baseline> RunOfSpools(const std::vector<std::string>& spools,
                                            const std::string& named,
                                            const report::Resolver& resolve,
                                            const report::BuildOptions& options) {
  std::size_t failed = 0;
  // Causes need the chains of callers.
  Profile profile = LoadProfile(spools, failed, {.keep_callers = options.inlines});
  // A run without some of its spools would have too little CPU time.
  if (failed > 0) return std::nullopt;
  if (profile.events.empty() && !profile.waits.recorded()) {
    Complain(named + ": contains no samples");
    return std::nullopt;
  }
  return report::BaselineOf(report::BuildReport(std::move(profile), resolve, options));
}

}  // namespace

std::optional<report::Baseline> LoadRun(const std::string& file, const std::string& label,
                                        const report::Resolver& resolve,
                                        const report::BuildOptions& options) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) {
    Complain(label + file + ": cannot be read (" + std::strerror(errno) + ")");
    return std::nullopt;
  }
  if (S_ISDIR(status.st_mode)) {
    const std::vector<std::string> spools = SpoolsBelow(file);
    if (!spools.empty()) return RunOfSpools(spools, label + file, resolve, options);
    Complain(label + file + ": no spool in this folder");
    return std::nullopt;
  }
  // A spool is read twice, here and by LoadProfile, which a FIFO does not allow.
  if (!S_ISREG(status.st_mode)) {
    Complain(label + file + ": neither a spool nor a JSON report of csink");
    return std::nullopt;
  }
  const auto text = ReadRunFile(file, status.st_size);
  if (!text) {
    Complain(label + file + ": " + WhatIsWrong(text.error()));
    return std::nullopt;
  }
  if (IsSpool(*text)) return RunOfSpools({file}, label + file, resolve, options);
  const auto baseline = report::ParseBaseline(*text);
  if (baseline) return *baseline;
  Complain(label + file + ": " + baseline.error().what);
  return std::nullopt;
}

std::vector<std::string> SpoolsOfRun(const std::string& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return {};
  if (S_ISDIR(status.st_mode)) return SpoolsBelow(file);
  if (!S_ISREG(status.st_mode)) return {};
  const auto text = ReadRunFile(file, status.st_size);
  return text && IsSpool(*text) ? std::vector<std::string>{file} : std::vector<std::string>{};
}

std::vector<std::string> RunsIn(const std::string& path) {
  std::error_code error;
  // A folder with spools of its own is one run, even if folders of trees are in it.
  if (!std::filesystem::is_directory(path, error) || !SpoolsIn(path).empty()) return {path};
  std::vector<std::string> runs = TreesIn(path);
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool is_json = entry->path().extension() == ".json";
    if (is_json && entry->is_regular_file(error)) runs.push_back(entry->path().string());
  }
  std::sort(runs.begin(), runs.end());
  return runs.empty() ? std::vector<std::string>{path} : runs;
}

}  // namespace csink::tool

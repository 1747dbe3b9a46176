#include "symbolizer/tool/load_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "profil/spool/format.h"
#include "symbolizer/tool/load_profile.h"
#include "symbolizer/tool/output.h"
#include "symbolizer/tool/spool_files.h"

namespace csink::tool {
namespace {

/// A JSON report of a million functions has 400 MB; more is no report.
constexpr off_t kMostJsonBytes = off_t{1} << 30;

/// The spools that a run means; none: it is a file of another kind.
std::vector<std::string> SpoolsOfRun(const std::string& file, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return SpoolsBelow(file);
  char magic[sizeof spool::kMagic] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
  if (std::memcmp(magic, spool::kMagic, sizeof magic) == 0) return {file};
  return {};
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
  const auto spools = S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)
                          ? SpoolsOfRun(file, status)
                          : std::vector<std::string>();
  if (!spools.empty()) {
    std::size_t failed = 0;
    Profile profile = LoadProfile(spools, failed);
    if (failed > 0) return std::nullopt;
    if (profile.events.empty()) {
      Complain(label + file + ": holds no samples");
      return std::nullopt;
    }
    return report::BaselineOf(report::BuildReport(std::move(profile), resolve, options));
  }
  if (S_ISDIR(status.st_mode)) {
    Complain(label + file + ": no spool in this folder");
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode) || status.st_size > kMostJsonBytes) {
    Complain(label + file + ": neither a spool nor a JSON report of csink");
    return std::nullopt;
  }
  std::ifstream json(file, std::ios::binary);
  if (!json) {
    Complain(label + file + ": cannot be read (" + std::strerror(errno) + ")");
    return std::nullopt;
  }
  const auto baseline = report::ParseBaseline({std::istreambuf_iterator<char>(json), {}});
  if (baseline) return *baseline;
  Complain(label + file + ": " + baseline.error().what);
  return std::nullopt;
}

std::vector<std::string> RunsIn(const std::string& path) {
  std::error_code error;
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

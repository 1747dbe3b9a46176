#include "symbolizer/tool/view.h"

#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "profil/spool/format.h"
#include "symbolizer/report/numbers.h"
#include "symbolizer/tool/output.h"
#include "symbolizer/tool/report_command.h"
#include "symbolizer/tool/spool_files.h"

namespace csink::tool {
namespace {

/// A JSON report of a million functions has 400 MB; more is no report.
constexpr off_t kMostJsonBytes = off_t{1} << 30;

/// The spools that a baseline means; none: it is a file of another kind.
std::vector<std::string> SpoolsOfBaseline(const std::string& file, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return SpoolsBelow(file);
  char magic[sizeof spool::kMagic] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
  if (std::memcmp(magic, spool::kMagic, sizeof magic) == 0) return {file};
  return {};
}

}  // namespace

MergeOptions MergeOptionsOf(const View& view) {
  return {.keep_callers = !view.flat,
          .keep_phases = true,
          .keep_threads = view.per_thread,
          .only_phase = view.phase};
}

std::optional<report::Baseline> LoadBaseline(const std::string& file,
                                             const report::Resolver& resolve) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) {
    Complain("baseline " + file + ": cannot be read (" + std::strerror(errno) + ")");
    return std::nullopt;
  }
  const auto spools = SpoolsOfBaseline(file, status);
  if (!spools.empty()) {
    std::size_t failed = 0;
    Profile profile = LoadProfile(spools, failed);
    if (failed > 0 || profile.events.empty()) return std::nullopt;
    return report::BaselineOf(report::BuildReport(std::move(profile), resolve));
  }
  if (S_ISDIR(status.st_mode)) {
    Complain("baseline " + file + ": no spool in this folder");
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode) || status.st_size > kMostJsonBytes) {
    Complain("baseline " + file + ": neither a spool nor a JSON report of csink");
    return std::nullopt;
  }
  std::ifstream json(file, std::ios::binary);
  const auto baseline = report::ParseBaseline({std::istreambuf_iterator<char>(json), {}});
  if (baseline) return *baseline;
  Complain("baseline " + file + ": " + baseline.error().what);
  return std::nullopt;
}

bool HasSamples(const Profile& profile, const View& view, const std::string& what) {
  if (MostSamples(profile) > 0) return true;
  if (view.phase.empty() && MissedSamples(profile) >= kManyMissed) return true;
  if (!view.phase.empty()) {
    std::string marks;
    for (const Phase& phase : profile.phases) {
      if (!phase.name.empty()) marks += (marks.empty() ? "" : ", ") + phase.name;
    }
    Complain("no samples after a mark " + view.phase +
             (marks.empty() ? "; no mark was set" : "; there are: " + marks));
  } else if (!profile.problems.empty()) {
    Complain(profile.problems[0] + "; no samples");
  } else {
    Complain(what + ": holds no samples");
  }
  return false;
}

report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve) {
  report::Report report = report::BuildReport(std::move(profile), resolve);
  if (baseline) report.baseline = report::Compare(report, *baseline, view.baseline);
  return report;
}

int JudgeSpeed(const report::Report& report, const View& view) {
  if (view.fail_if_slower < 0 || !report.baseline || !report.baseline->ratio) return 0;
  const double slower = (*report.baseline->ratio - 1) * 100;
  if (slower <= view.fail_if_slower) return 0;
  Complain("slower than " + view.baseline + " by " + report::FixedText(slower, 1) +
           "% of CPU time; at most " + report::FixedText(view.fail_if_slower, 1) +
           "% were allowed");
  return kExitSlower;
}

}  // namespace csink::tool

#include "symbolizer/commands/show/diff_page.h"

#include <optional>
#include <utility>

#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/progress.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/load_run.h"
#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/report/compare/row_keys.h"
#include "symbolizer/report/html/page.h"
#include "symbolizer/report/html/renamed_rows.h"

namespace csink::tool {
namespace {

/// The sum of all runs of a side. nullopt if a run is a JSON report: the views of the other runs
/// alone would have other numbers than the comparison.
std::optional<report::Report> ReportOf(const std::vector<std::string>& targets, bool quiet,
                                       const report::Resolver& resolve) {
  std::vector<std::string> spools;
  for (const std::string& target : targets) {
    for (const std::string& run : RunsIn(target)) {
      const std::vector<std::string> own = SpoolsOfRun(run);
      if (own.empty()) return std::nullopt;
      spools.insert(spools.end(), own.begin(), own.end());
    }
  }
  std::size_t failed = 0;
  // As MergeOptionsOf for a page: callers, marks and threads are the filters of its views.
  Profile profile = LoadProfile(spools, failed,
                                {.keep_callers = true, .keep_phases = true, .keep_threads = true});
  if (failed > 0 || profile.processes.empty()) return std::nullopt;
  Progress progress(quiet);
  report::BuildOptions build;
  build.keep_addresses = true;
  build.detail = symbolizer::Detail::kInlines;  // The lines are those of inlined functions
  build.progress = [&](const std::string& path, std::size_t done, std::size_t of) {
    progress.SayModule(path, done, of);
  };
  return report::BuildReport(std::move(profile), resolve, build);
}

/// What the page shows of a side. `report` must outlive the result.
report::PageSide SideOf(const std::optional<report::Report>& report,
                        const report::Resolver& resolve) {
  report::PageSide side;
  if (!report) return side;
  side.report = &*report;
  const annotate::Settings settings = SettingsOf(AnnotateChoices{});
  for (const annotate::SampledFunction& function : report::FunctionsToAnnotate(*report)) {
    side.annotations.push_back(annotate::Annotate(*report, function, resolve, settings));
  }
  return side;
}

}  // namespace

Result<void> WriteDiffPage(int fd, const ComparedRuns& runs, bool quiet,
                           const report::Resolver& resolve) {
  const std::optional<report::Report> was = ReportOf(runs.a, quiet, resolve);
  const std::optional<report::Report> now = ReportOf(runs.b, quiet, resolve);
  // Finds the row of a frame by the keys by which the comparison matched the rows
  // (docs/design/report.md).
  const report::RowFinder rows(runs.comparison, runs.now, runs.then);
  report::Sink sink([fd](std::string_view bytes) { return WriteAll(fd, bytes); });
  report::ComparedPage page{runs.comparison, rows, SideOf(was, resolve), SideOf(now, resolve)};
  if (was && now) {
    page.renamed = report::FindRenamed(runs.comparison, rows, *was, *now, runs.then, runs.now);
  }
  return report::WriteComparisonPage(page, sink);
}

}  // namespace csink::tool

#include "symbolizer/commands/show/diff_page.h"

#include <optional>
#include <utility>

#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/report/compare/row_keys.h"
#include "symbolizer/report/html/page.h"
#include "symbolizer/report/html/renamed_rows.h"

namespace csink::tool {
namespace {

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

Result<void> WriteDiffPage(int fd, const ComparedRuns& runs, const report::Resolver& resolve) {
  const std::optional<report::Report>& was = runs.was;
  const std::optional<report::Report>& now = runs.is;
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

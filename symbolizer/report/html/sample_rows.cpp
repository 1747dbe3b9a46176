#include "symbolizer/report/html/sample_rows.h"

#include <optional>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/html/fold_rows.h"
#include "symbolizer/report/html/inlined_paths.h"
#include "symbolizer/report/html/row_sums.h"

namespace csink::report {

void RowSums::Add(const SampleRow& row, const EventCount* counts) {
  // The counts of all rows are one vector, which grows with the rows.
  const std::size_t at = index_.Of(row);
  if (counts_.size() < rows_.size() * events_) counts_.resize(rows_.size() * events_);
  for (std::size_t e = 0; e < events_; ++e) AddTo(counts_[at * events_ + e], counts[e]);
}

namespace {

/// The functions of the page are those of the report, and `row_of` has the index for each id.
void AddFunctions(const Report& report, SampleRows& page, std::vector<std::uint32_t>& row_of) {
  Interned<PageModule> modules(page.modules);
  row_of.resize(report.functions.size());
  for (std::size_t i = 0; i < report.functions.size(); ++i) {
    const FunctionRow& function = report.functions[i];
    const auto row = static_cast<std::uint32_t>(i);
    row_of[function.id] = row;
    page.functions.push_back({row, modules.Of({function.module, function.module_path})});
  }
}

/// The line of a location in one of the page's functions; kNone if it is not known.
std::uint32_t LineOf(const Report& report, const SampleRows& page, Interned<PageLine>& lines,
                     const symbolizer::Location& location, std::uint32_t function) {
  if (location.line == 0 || location.file.empty()) return kNone;
  // The function of a line is the one whose text contains it, as in Report::lines.
  const std::string& name =
      location.inlined.empty() ? report.functions[function].function : location.inlined[0].function;
  return lines.Of({location.file, location.line, name, page.functions[function].module});
}

}  // namespace

SampleRows MakeSampleRows(const Report& report, std::size_t most) {
  const Profile& profile = report.profile;
  SampleRows page;
  std::vector<std::uint32_t> row_of;
  AddFunctions(report, page, row_of);
  std::optional<InlinedPaths> paths;
  if (!report.call_tree.empty()) paths.emplace(report, page);
  Interned<PageLine> lines(page.lines);
  RowSums sums(profile.events.size());
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    // Places that differ only in what the page does not show (addresses, callers) become one row.
    SampleRow row;
    row.function = row_of[report.addresses.function_of_place[i]];
    row.line = LineOf(report, page, lines, report.addresses.locations[report.addresses.of_place[i]],
                      row.function);
    row.node = paths ? paths->NodeOf(i) : 0;
    row.thread = place.thread < profile.threads.size() ? place.thread : kNone;
    row.phase = place.phase;
    sums.Add(row, place.counts.data());
  }
  page.rows = std::move(sums.rows());
  page.counts = std::move(sums.counts());
  // First the rows, then the tables: folding makes entries of the tables unused.
  FoldRows(profile.events, most, page);
  DropUnused(page);
  return page;
}

}  // namespace csink::report

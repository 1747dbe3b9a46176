#pragma once

#include <optional>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/compare/row_keys.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/renamed_rows.h"
#include "symbolizer/report/tables/report.h"

/// File: the HTML report: one file that a browser shows without a network. docs/html.md describes
/// it for users. The file contains data, and code that makes the views of it
/// (symbolizer/report/html/page). Without JavaScript a browser shows a summary and the hottest
/// functions.

namespace csink::report {

/// Functions with a smaller share of every event are not annotated in the page.
inline constexpr double kLeastAnnotatedShare = 0.01;
/// Largest number of functions that are annotated.
inline constexpr std::size_t kMostAnnotated = 60;

/// The functions that the page shows with source and instructions, hottest first. `report` must
/// have been built with BuildOptions::keep_addresses.
std::vector<annotate::SampledFunction> FunctionsToAnnotate(const Report& report);

/// kFile: the page has everything and its policy permits no request. kLive: the page also has the
/// code that asks the server of the page for newer data, and its policy permits this
/// (symbolizer/commands/live/page_server.h).
enum class PageKind { kFile, kLive };

/// Writes the page and finishes the sink. `report` must have been built with
/// BuildOptions::keep_addresses; it may be empty. Errors: those of the sink.
Result<void> WritePage(const Report& report, const std::vector<annotate::Annotation>& annotations,
                       Sink& sink, PageKind kind = PageKind::kFile);

/// Writes the data of the page alone, one JSON object, and finishes the sink: what a live page asks
/// for. The rest as of WritePage.
Result<void> WriteLiveData(const Report& report,
                           const std::vector<annotate::Annotation>& annotations, Sink& sink);

/// One side of a comparison.
struct PageSide {
  /// The sum of its runs, built with BuildOptions::keep_addresses. nullptr: some run is a JSON
  /// report, which has no samples that the views could show.
  const Report* report = nullptr;
  std::vector<annotate::Annotation> annotations = {};
};

/// What a page of two sides shows. `rows` was made of `comparison`, whose rows are functions.
struct ComparedPage {
  const Comparison& comparison;
  const RowFinder& rows;
  PageSide was;
  PageSide now;
  /// FindRenamed of the runs and of the sides' reports.
  std::vector<RenamedRow> renamed = {};
};

/// Writes the page of a comparison and finishes the sink. Errors: those of the sink.
Result<void> WriteComparisonPage(const ComparedPage& page, Sink& sink);

}  // namespace csink::report

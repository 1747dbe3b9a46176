#pragma once

#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/tables/report.h"

/// File: what the page shows without JavaScript.

namespace csink::report {

/// Rows of the table of functions that is readable without JavaScript.
inline constexpr std::size_t kFirstRows = 30;

/// Writes the summary and the first table as HTML elements: command, verdict, and the hottest
/// functions with the shares of all events.
void WriteFirstView(const Report& report, Sink& sink);

/// The same for a comparison: what the text of `csink diff` says, and the rows with the largest
/// changes.
void WriteFirstComparison(const Comparison& comparison, Sink& sink);

}  // namespace csink::report

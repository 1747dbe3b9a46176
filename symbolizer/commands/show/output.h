#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/util/report_format.h"
#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: writes a report to its destination in the right style.

namespace csink::tool {

/// Where a report goes and what it looks like.
struct OutputOptions {
  ReportFormat format = ReportFormat::kText;
  /// Template of the file's name (core/util/output_template.h). If empty, `fd` is used.
  std::string file;
  /// Other processes may use the same template, so the name gets an ending if it cannot tell them
  /// apart (output_name.h).
  bool of_one_process = false;
  /// Other processes of the run may have written a file of this name: it stays (output_name.h).
  bool only_older = false;
  /// The file's name came through a control fifo: no other file than a report is replaced.
  bool only_reports = false;
  /// Destination if `file` is empty. Not closed.
  int fd = 1;
  /// Rows of the main table (text, Markdown).
  std::size_t top = 20;
  /// Rows below share one row (text), 0..1.
  double min_share = 0.01;
  /// Also the tree of call paths (text; JSON has it always).
  bool call_tree = false;
  bool per_thread = false;  ///< Also a table of threads (text; JSON has it always).
  bool time_line = false;   ///< Also the time line (text; JSON has it always).
  bool verbose = false;     ///< All lines of precision and wall time, also of a short run (text).
  /// For the formats other than text and JSON; `top` is taken from above.
  report::FormatOptions details;
  report::By by = report::By::kFunctions;
  std::string sort;  ///< Sort column of the main table (text); empty: the first event
  Colour colour = Colour::kAuto;
};

/// The style for text that is written to `fd`: its width and colour depend on whether it is a
/// terminal.
report::TextStyle StyleFor(int fd, const OutputOptions& options);

/// Writes the report as requested. If its file cannot be written, prints one line, and writes the
/// report to stderr instead, unless its format is binary. Returns false in this case, and if stdout
/// is closed or full; an error was printed unless it is EPIPE.
/// `annotations`: the functions that the HTML format shows with their source.
bool WriteReport(const report::Report& report, const OutputOptions& options,
                 const std::vector<annotate::Annotation>& annotations = {});

/// The same for text that `make` returns for the style of the destination. `profile` is needed for
/// the file's name. `make` may be called twice, if the file cannot be written.
bool WriteMade(const Profile& profile, const OutputOptions& options,
               const std::function<std::string(const report::TextStyle& style)>& make);

}  // namespace csink::tool

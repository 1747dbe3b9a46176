#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/report_format.h"
#include "core/util/result.h"
#include "symbolizer/annotate/annotation.h"
#include "symbolizer/commands/terminal.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: writes a report to its destination in the right style, and prints messages.

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

/// Writes all of `text`. Errors carry errno. A closed pipe is the error EPIPE: SIGPIPE is ignored
/// from the first call on.
Result<void> WriteAll(int fd, std::string_view text);

/// Ends the process by SIGPIPE if the reader of a pipe that WriteAll wrote to has gone, as other
/// programs end in `csink export | head`: the status shows it (141 in a shell). Where SIGPIPE was
/// ignored from the start, prints an error instead and returns.
void EndByClosedPipe();

/// Prints why the output could not be written. Nothing is printed for EPIPE, because the reader has
/// closed the pipe and wants no more. Returns true if an error was printed, so that the exit status
/// must be an error.
bool ComplainUnwritten(const Error& error);

/// Writes all of `text` to stdout. Returns false if it was not written; an error was printed unless
/// it is EPIPE.
bool Print(std::string_view text);

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

/// Prints one line "csink: error: ..." or "csink: warn: ..." on stderr. Unprintable bytes are
/// replaced, because texts contain names from files. Errors of writing are ignored.
void Complain(const std::string& text);
/// The same for a problem that does not change the exit status.
void Warn(const std::string& text);

}  // namespace csink::tool

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/util/report_format.h"
#include "core/util/result.h"
#include "symbolizer/commands/terminal.h"
#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: writes a report to its destination in the right style.

namespace csink::tool {

struct OutputOptions {
  ReportFormat format = ReportFormat::kText;
  std::string file;             ///< Template (core/util/output_template.h); empty: `fd`
  bool of_one_process = false;  ///< Other processes may use the same template.
  int fd = 1;                   ///< Destination if `file` is empty.
  std::size_t top = 20;
  double min_share = 0.01;
  bool call_tree = false;         ///< Also the tree of call paths (text; JSON has it always).
  bool per_thread = false;        ///< Also a table of threads (text; JSON has it always).
  report::FormatOptions details;  ///< For the formats other than text and JSON.
  report::By by = report::By::kFunctions;
  std::string sort;  ///< Sort column of the main table (text); empty: the first event
  Colour colour = Colour::kAuto;
};

/// The style for text that is written to `fd`.
report::TextStyle StyleFor(int fd, const OutputOptions& options);

/// Writes all of `text`. Errors carry errno.
Result<void> WriteAll(int fd, std::string_view text);

/// Prints why the output could not be written. Nothing is printed for EPIPE, because the reader has
/// closed the pipe. True: an error was printed, so the exit status must be an error.
bool ComplainUnwritten(const Error& error);

/// Writes all of `text` to stdout. False: not written; an error was printed unless it is EPIPE.
bool Print(std::string_view text);

/// Writes the report as requested. If its file cannot be written, prints one line, and writes a
/// text report to stderr instead. False in this case, and if stdout is closed or full; an error was
/// printed unless it is EPIPE.
bool WriteReport(const report::Report& report, const OutputOptions& options);

/// The same for text that `make` returns for the style of the destination.
bool WriteMade(const Profile& profile, const OutputOptions& options,
               const std::function<std::string(const report::TextStyle& style)>& make);

/// Prints one line "csink: error: ..." (or "warn") on stderr. Unprintable bytes are replaced.
void Complain(const std::string& text);
void Warn(const std::string& text);

}  // namespace csink::tool

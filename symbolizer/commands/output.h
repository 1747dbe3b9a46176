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

/// File: where a report goes and how it is dressed there.

namespace csink::tool {

struct OutputOptions {
  ReportFormat format = ReportFormat::kText;
  std::string file;             ///< Template (core/util/output_template.h); empty: `fd`
  bool of_one_process = false;  ///< Others may write theirs under the same template.
  int fd = 1;                   ///< Where it goes without a file.
  std::size_t top = 20;
  double min_share = 0.01;
  bool call_tree = false;         ///< Also the tree of call paths (text; JSON has it always).
  bool per_thread = false;        ///< Also a table of threads (likewise).
  report::FormatOptions details;  ///< Of the formats beside text and JSON.
  report::By by = report::By::kFunctions;
  std::string sort;  ///< Of the main table (text); empty: by the first event
  Colour colour = Colour::kAuto;
};

/// The style of text that goes to `fd`.
report::TextStyle StyleFor(int fd, const OutputOptions& options);

/// Writes all of `text`. Errors: with errno.
Result<void> WriteAll(int fd, std::string_view text);

/// Says why something could not be written to where it goes without a file. A reader that has gone
/// (EPIPE) wants to know nothing. True: said, so it is a failure of its own.
bool ComplainUnwritten(const Error& error);

/// Writes all of `text` to stdout. False: not written; said so, but for EPIPE.
bool Print(std::string_view text);

/// Writes the report as asked. When the file cannot be written: one line, and a report that is
/// text goes to stderr. False in that case, and when stdout is gone or full: said so, but for
/// EPIPE.
bool WriteReport(const report::Report& report, const OutputOptions& options);

/// The same for text that `make` gives, dressed for where it goes.
bool WriteMade(const Profile& profile, const OutputOptions& options,
               const std::function<std::string(const report::TextStyle& style)>& make);

/// One line "csink: error: ..." (or warn) on stderr; unprintable bytes are replaced.
void Complain(const std::string& text);
void Warn(const std::string& text);

}  // namespace csink::tool

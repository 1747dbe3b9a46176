#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/util/report_format.h"
#include "core/util/result.h"
#include "profil/reading/merge/merge.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/tables/report.h"

/// File: the writers of other programs' formats, one file each. docs/formats.md describes their
/// contents and what is lost. All write the numbers of the same report.

namespace csink::report {

/// Which table the CSV format has; a CSV file has one. kSamples is the tidy table: a row for each
/// process, thread, function, line and event (sample_table.h). The others have columns for each
/// event.
enum class CsvTable { kFunctions, kLines, kThreads, kProcesses, kSamples };

/// What the user chose. docs/formats.md says which format uses which option.
struct FormatOptions {
  /// Columns to write, as indices into Profile::events. If empty, all events. Formats with one
  /// event write the first of them.
  std::vector<std::size_t> events = {};
  /// Inlined functions become frames of their own. They must have been resolved (Detail::kInlines).
  bool inlines = false;
  /// For gmon: the module to write, as base name or path. If empty, the program.
  std::string module = {};
  /// For CSV: which table.
  CsvTable table = CsvTable::kFunctions;
  /// For the tidy table (CSV and NDJSON): the column `label`, for instance a release.
  std::string label = {};
  /// For Markdown: number of functions with rows of their own; the others share one row.
  std::size_t top = 20;
};

/// What a report must contain for a format. A report that lacks addresses must not be written in a
/// format that needs them; missing callers and threads only leave the file without them.
struct FormatNeeds {
  bool addresses = false;  ///< BuildOptions::keep_addresses
  bool callers = false;    ///< MergeOptions::keep_callers
  bool threads = false;    ///< MergeOptions::keep_threads
  bool inlines = false;    ///< Detail::kInlines: annotated instructions name inlined functions
  bool own_lines = false;  ///< FunctionRow::own_line
  /// Report::inlines where own lines need inlined functions anyway: text compares the order.
  bool inline_rows = false;
};
/// The needs of each format, text, JSON and HTML included. `table` is used for CSV alone.
FormatNeeds NeedsOf(ReportFormat format, CsvTable table = CsvTable::kFunctions);

/// Writes a report in any format except text, JSON and HTML, and finishes the sink.
/// Errors: those of the sink; kNotFound (gmon: no module of that name), kSystem (pprof: zlib
/// failed), kLimit (otlp: more than 2 GiB), kInvalid (text, JSON or HTML).
Result<void> WriteFormat(const Report& report, ReportFormat format, const FormatOptions& options,
                         Sink& sink);

/// The same into memory, for sending. kOtlp is an ExportProfilesServiceRequest, not compressed;
/// kPprof is compressed with gzip. Errors: those of WriteFormat without a sink's.
Result<std::string> EncodeFormat(const Report& report, ReportFormat format,
                                 const FormatOptions& options);

/// The writers of report_formats.inc, each in a source of its own, which says what it writes. They
/// leave the sink unfinished. Formats with a single event use the first of options.events.
#define CSINK_FORMAT(enumerator, name, suffix, binary, needs, writer) \
  Result<void> writer(const Report& report, const FormatOptions& options, Sink& sink);
#include "core/util/report_formats.inc"
#undef CSINK_FORMAT

/// options.events, or all events of the report.
std::vector<std::size_t> ChosenEvents(const Report& report, const FormatOptions& options);

}  // namespace csink::report

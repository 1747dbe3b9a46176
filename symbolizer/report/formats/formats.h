#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/util/report_format.h"
#include "core/util/result.h"
#include "profil/model/merge.h"
#include "symbolizer/report/formats/sink.h"
#include "symbolizer/report/tables/report.h"

/// File: the writers of other programs' formats, one file each. docs/formats.md describes their
/// contents and what is lost. All write the numbers of the same report.

namespace csink::report {

enum class CsvTable { kFunctions, kLines, kThreads, kProcesses };

struct FormatOptions {
  std::vector<std::size_t> events = {};  ///< Columns to write; empty: all
  bool inlines = false;     ///< Inlined functions become frames of their own, if they are known
  std::string module = {};  ///< gmon: the module to write, as base name or path; empty: the program
  CsvTable table = CsvTable::kFunctions;
};

/// What a report must contain for a format.
struct FormatNeeds {
  bool addresses = false;  ///< BuildOptions::keep_addresses
  bool callers = false;    ///< MergeOptions::keep_callers
  bool threads = false;    ///< MergeOptions::keep_threads
};
FormatNeeds NeedsOf(ReportFormat format);

/// Writes a report in any format except text and JSON. Errors: those of the sink; kNotFound (no
/// module of that name), kSystem (zlib failed).
Result<void> WriteFormat(const Report& report, ReportFormat format, const FormatOptions& options,
                         Sink& sink);

/// The writers of the formats. Formats with a single event use the first of options.events.
Result<void> WriteCsv(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteFolded(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteCallgrind(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WritePerfScript(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WritePprof(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteGperftools(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteGmon(const Report& report, const FormatOptions& options, Sink& sink);

/// options.events, or all events of the report.
std::vector<std::size_t> ChosenEvents(const Report& report, const FormatOptions& options);

}  // namespace csink::report

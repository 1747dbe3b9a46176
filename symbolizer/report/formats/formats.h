#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/util/report_format.h"
#include "core/util/result.h"
#include "profil/model/merge.h"
#include "symbolizer/report/formats/sink.h"
#include "symbolizer/report/tables/report.h"

/// File: the writers of other programs' formats, one file each. docs/formats.md tells users what
/// is in them and what is lost. All of them write the numbers of the same report.

namespace csink::report {

enum class CsvTable { kFunctions, kLines, kThreads, kProcesses };

struct FormatOptions {
  std::vector<std::size_t> events = {};  ///< Columns to write; empty: all of them
  bool inlines = false;                  ///< Inlined functions are frames, where they are known
  std::string module = {};  ///< gmon: whose text, base name or path; empty: the program's
  CsvTable table = CsvTable::kFunctions;
};

/// What a report must hold to be written so.
struct FormatNeeds {
  bool addresses = false;  ///< BuildOptions::keep_addresses
  bool callers = false;    ///< MergeOptions::keep_callers
  bool threads = false;    ///< MergeOptions::keep_threads
};
FormatNeeds NeedsOf(ReportFormat format);

/// Writes a report in any format but text and JSON. Errors: those of the sink;
/// kNotFound: no module of that name; kSystem: zlib fails.
Result<void> WriteFormat(const Report& report, ReportFormat format, const FormatOptions& options,
                         Sink& sink);

/// The writers; each has a file of its own. Options as above; formats of one event take the first
/// of options.events.
Result<void> WriteCsv(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteFolded(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteCallgrind(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WritePerfScript(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WritePprof(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteGperftools(const Report& report, const FormatOptions& options, Sink& sink);
Result<void> WriteGmon(const Report& report, const FormatOptions& options, Sink& sink);

/// Options::events, or all events of the report.
std::vector<std::size_t> ChosenEvents(const Report& report, const FormatOptions& options);

}  // namespace csink::report

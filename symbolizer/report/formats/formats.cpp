#include "symbolizer/report/formats/formats.h"

namespace csink::report {

namespace {

// The words of report_formats.inc. Those of tables have the program's own lines as well.
constexpr FormatNeeds kRows = {.own_lines = true};
constexpr FormatNeeds kTables = {.callers = true, .own_lines = true, .inline_rows = true};
constexpr FormatNeeds kReport = {.callers = true, .own_lines = true};
constexpr FormatNeeds kSamples = {.addresses = true, .threads = true};
constexpr FormatNeeds kChains = {.addresses = true, .callers = true};
// These formats have labels or lines for threads.
constexpr FormatNeeds kThreads = {.addresses = true, .callers = true, .threads = true};
// The page filters by thread and mark, and shows source lines.
constexpr FormatNeeds kAll = {.addresses = true, .callers = true, .threads = true, .inlines = true};

struct Row {
  FormatNeeds needs;
  Result<void> (*write)(const Report&, const FormatOptions&, Sink&);
};
constexpr Row kRowsOfFormats[] = {
#define CSINK_FORMAT(enumerator, name, suffix, binary, needs, writer) {needs, writer},
#include "core/util/report_formats.inc"
#undef CSINK_FORMAT
};

const Row& RowOf(ReportFormat format) { return kRowsOfFormats[static_cast<std::size_t>(format)]; }

}  // namespace

FormatNeeds NeedsOf(ReportFormat format, CsvTable table) {
  // Both forms of the tidy table have the same rows.
  if (format == ReportFormat::kCsv && table == CsvTable::kSamples) format = ReportFormat::kNdjson;
  FormatNeeds needs = RowOf(format).needs;
  if (format == ReportFormat::kCsv) {
    needs.own_lines = table == CsvTable::kFunctions || table == CsvTable::kLines;
  }
  return needs;
}

// Text, JSON and the page.
Result<void> WriteElsewhere(const Report&, const FormatOptions&, Sink&) {
  return Error{Errc::kInvalid, 0, "is written by another function"};
}

std::vector<std::size_t> ChosenEvents(const Report& report, const FormatOptions& options) {
  if (!options.events.empty()) return options.events;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) all.push_back(i);
  return all;
}

Result<void> WriteFormat(const Report& report, ReportFormat format, const FormatOptions& options,
                         Sink& sink) {
  const auto written = RowOf(format).write(report, options, sink);
  if (!written) return written;
  return sink.Finish();
}

// For a push: a request has the length of its body in its head, so that it must be complete.
Result<std::string> EncodeFormat(const Report& report, ReportFormat format,
                                 const FormatOptions& options) {
  std::string bytes;
  // The usual size of OTLP without callers. Room that is not needed costs no memory.
  constexpr std::size_t kPlaceBytes = 80;
  bytes.reserve(report.profile.places.size() * kPlaceBytes);
  Sink sink([&](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  });
  const auto written = WriteFormat(report, format, options, sink);
  if (!written) return written.error();
  return bytes;
}

}  // namespace csink::report

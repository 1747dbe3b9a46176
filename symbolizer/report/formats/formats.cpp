#include "symbolizer/report/formats/formats.h"

namespace csink::report {

FormatNeeds NeedsOf(ReportFormat format, CsvTable table) {
  switch (format) {
    case ReportFormat::kText:
      return {.callers = true, .own_lines = true, .inline_rows = true};
    case ReportFormat::kJson:
      return {.callers = true, .own_lines = true};
    case ReportFormat::kHtml:
      // The page filters by thread and mark, and shows source lines.
      return {.addresses = true, .callers = true, .threads = true, .inlines = true};
    // These have no callers, so smaller profiles are enough.
    case ReportFormat::kCsv:
      // Both forms have the same rows.
      if (table == CsvTable::kSamples) return NeedsOf(ReportFormat::kNdjson);
      return {.own_lines = table == CsvTable::kFunctions || table == CsvTable::kLines};
    case ReportFormat::kMarkdown:
      return {.own_lines = true};
    case ReportFormat::kNdjson:
      return {.addresses = true, .threads = true};
    case ReportFormat::kPprof:
    case ReportFormat::kPerfScript:
    case ReportFormat::kSpeedscope:
    case ReportFormat::kFirefox:
    case ReportFormat::kPerfData:
    case ReportFormat::kOtlp:
      // These formats have labels or lines for threads.
      return {.addresses = true, .callers = true, .threads = true};
    case ReportFormat::kFolded:
    case ReportFormat::kCallgrind:
    case ReportFormat::kGperftools:
    case ReportFormat::kGmon:
    case ReportFormat::kCpuProfile:
    case ReportFormat::kSvg:
      break;
  }
  return {.addresses = true, .callers = true};
}

std::vector<std::size_t> ChosenEvents(const Report& report, const FormatOptions& options) {
  if (!options.events.empty()) return options.events;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) all.push_back(i);
  return all;
}

Result<void> WriteFormat(const Report& report, ReportFormat format, const FormatOptions& options,
                         Sink& sink) {
  using Writer = Result<void> (*)(const Report&, const FormatOptions&, Sink&);
  // A switch without a default, so that the compiler warns of a format without a writer.
  const Writer writer = [&]() -> Writer {
    switch (format) {
      case ReportFormat::kText:
      case ReportFormat::kJson:
      case ReportFormat::kHtml:
        break;
      case ReportFormat::kCsv:
        return WriteCsv;
      case ReportFormat::kFolded:
        return WriteFolded;
      case ReportFormat::kCallgrind:
        return WriteCallgrind;
      case ReportFormat::kPerfScript:
        return WritePerfScript;
      case ReportFormat::kSpeedscope:
        return WriteSpeedscope;
      case ReportFormat::kFirefox:
        return WriteFirefox;
      case ReportFormat::kCpuProfile:
        return WriteCpuProfile;
      case ReportFormat::kSvg:
        return WriteSvg;
      case ReportFormat::kMarkdown:
        return WriteMarkdown;
      case ReportFormat::kPerfData:
        return WritePerfData;
      case ReportFormat::kPprof:
        return WritePprof;
      case ReportFormat::kGperftools:
        return WriteGperftools;
      case ReportFormat::kGmon:
        return WriteGmon;
      case ReportFormat::kNdjson:
        return WriteNdjson;
      case ReportFormat::kOtlp:
        return WriteOtlp;
    }
    return nullptr;
  }();
  if (!writer) return Error{Errc::kInvalid, 0, "is written by another function"};
  const auto written = writer(report, options, sink);
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

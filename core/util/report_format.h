#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// File: the report formats and their names, as CSINK_FORMAT, `--format` and `csink export` take
/// them. docs/formats.md describes each format.

namespace csink {

/// The formats, in the order of kReportFormats.
enum class ReportFormat : unsigned char {
  /// For people: tables and a verdict.
  kText,
  /// The whole report, for scripts.
  kJson,
  /// Tables for spreadsheets.
  kCsv,
  /// Call chains, a line each, for flame graphs.
  kFolded,
  /// For kcachegrind and callgrind_annotate.
  kCallgrind,
  /// For programs that read the output of `perf script`.
  kPerfScript,
  /// For speedscope.
  kSpeedscope,
  /// For Firefox Profiler.
  kFirefox,
  /// For VS Code and Chrome DevTools.
  kCpuProfile,
  /// A flame graph as a picture.
  kSvg,
  /// A table for pull requests.
  kMarkdown,
  /// A table for databases, a JSON object a row.
  kNdjson,
  /// One self-contained page for a browser.
  kHtml,
  /// For `perf report`, `perf script` and hotspot.
  kPerfData,
  /// For `go tool pprof` and others.
  kPprof,
  /// For google-pprof.
  kGperftools,
  /// For gprof.
  kGmon,
  /// For OpenTelemetry's collector and stores of profiles.
  kOtlp,
};

/// Name and properties of a format.
struct ReportFormatName {
  std::string_view name;  ///< As users write it, in lower case
  const char* suffix;     ///< Appended to an output file's name that the user did not choose
  /// Must not be written to a terminal or between other lines. True for binary formats and for the
  /// page, which is not for reading as text.
  bool is_binary;
};

/// Indexed by ReportFormat: the order must be that of the enumerators.
inline constexpr ReportFormatName kReportFormats[] = {
    {"text", ".txt", false},
    {"json", ".json", false},
    {"csv", ".csv", false},
    {"folded", ".folded", false},
    {"callgrind", ".callgrind", false},
    {"perf-script", ".perf-script", false},
    {"speedscope", ".speedscope.json", false},
    {"firefox", ".firefox.json", false},
    {"cpuprofile", ".cpuprofile", false},
    {"svg", ".svg", false},
    {"markdown", ".md", false},
    {"ndjson", ".ndjson", false},
    {"html", ".html", true},
    {"perf-data", ".perf.data", true},
    {"pprof", ".pprof", true},
    {"gperftools", ".gperftools", true},
    {"gmon", ".gmon", true},
    {"otlp", ".otlp", true},
};
/// The number of formats.
inline constexpr std::size_t kReportFormatCount = sizeof kReportFormats / sizeof kReportFormats[0];
/// All names in one text, for messages. Must be changed together with the table.
inline constexpr char kReportFormatWords[] =
    "text, json, csv, folded, callgrind, perf-script, speedscope, firefox, cpuprofile, svg, "
    "markdown, ndjson, html, perf-data, pprof, gperftools, gmon or otlp";

/// Name and properties of `format`, which must be an enumerator. Signals: safe.
constexpr const ReportFormatName& NameOf(ReportFormat format) noexcept {
  return kReportFormats[static_cast<std::size_t>(format)];
}

/// The format called `name`, compared exactly; nullopt if there is none. Signals: safe.
constexpr std::optional<ReportFormat> FormatNamed(std::string_view name) noexcept {
  // In turn: asked once in a run.
  for (std::size_t i = 0; i < kReportFormatCount; ++i) {
    if (kReportFormats[i].name == name) return static_cast<ReportFormat>(i);
  }
  return std::nullopt;
}

}  // namespace csink

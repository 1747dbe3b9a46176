#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// File: the formats of reports, by name: what CSINK_FORMAT, `--format` and `csink export` take.
/// docs/formats.md tells what is in each.

namespace csink {

enum class ReportFormat : unsigned char {
  kText,
  kJson,
  kCsv,
  kFolded,
  kCallgrind,
  kPerfScript,
  kPprof,
  kGperftools,
  kGmon,
};

struct ReportFormatName {
  std::string_view name;
  const char* suffix;  ///< Of a file without a name of its own
  bool is_binary;      ///< Nothing for a terminal, nor for between other lines
};

/// By ReportFormat.
inline constexpr ReportFormatName kReportFormats[] = {
    {"text", ".txt", false},
    {"json", ".json", false},
    {"csv", ".csv", false},
    {"folded", ".folded", false},
    {"callgrind", ".callgrind", false},
    {"perf-script", ".perf-script", false},
    {"pprof", ".pprof", true},
    {"gperftools", ".gperftools", true},
    {"gmon", ".gmon", true},
};
inline constexpr std::size_t kReportFormatCount = sizeof kReportFormats / sizeof kReportFormats[0];
/// The same for a message.
inline constexpr char kReportFormatWords[] =
    "text, json, csv, folded, callgrind, perf-script, pprof, gperftools or gmon";

constexpr const ReportFormatName& NameOf(ReportFormat format) noexcept {
  return kReportFormats[static_cast<std::size_t>(format)];
}

/// Signals: safe.
constexpr std::optional<ReportFormat> FormatNamed(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kReportFormatCount; ++i) {
    if (kReportFormats[i].name == name) return static_cast<ReportFormat>(i);
  }
  return std::nullopt;
}

}  // namespace csink

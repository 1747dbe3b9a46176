#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

/// File: the report formats and their names, as CSINK_FORMAT, `--format` and `csink export` take
/// them. docs/formats.md describes each format.

namespace csink {

/// The formats, in the order of report_formats.inc, which says what each is for.
enum class ReportFormat : unsigned char {
#define CSINK_FORMAT(enumerator, ...) enumerator,
#include "core/util/report_formats.inc"
#undef CSINK_FORMAT
};

/// Name and properties of a format.
struct ReportFormatName {
  std::string_view name;  ///< As users write it, in lower case
  const char* suffix;     ///< Appended to an output file's name that the user did not choose
  /// Must not be written to a terminal or between other lines. True for binary formats and for the
  /// page, which is not for reading as text.
  bool is_binary;
};

/// Indexed by ReportFormat.
inline constexpr ReportFormatName kReportFormats[] = {
#define CSINK_FORMAT(enumerator, name, suffix, binary, ...) {name, suffix, binary},
#include "core/util/report_formats.inc"
#undef CSINK_FORMAT
};
/// The number of formats.
inline constexpr std::size_t kReportFormatCount = sizeof kReportFormats / sizeof kReportFormats[0];
/// The names with a blank behind each.
inline constexpr char kReportFormatNames[] =
#define CSINK_FORMAT(enumerator, name, ...) name " "
#include "core/util/report_formats.inc"
#undef CSINK_FORMAT
    ;
/// The same as a row of a table has it: without the last blank.
inline constexpr std::string_view kReportFormatRow(kReportFormatNames,
                                                   sizeof kReportFormatNames - 2);
/// All names in one text, for messages: "text, json, ... or otlp".
inline constexpr auto kReportFormatWords = [] {
  // A blank becomes ", ", the last one " or ".
  std::array<char, sizeof kReportFormatNames + kReportFormatCount + 2> words = {};
  std::size_t at = 0, blanks = 0;
  for (const char c : kReportFormatRow) {
    if (c != ' ') {
      words[at++] = c;
      continue;
    }
    for (const char s : std::string_view(++blanks == kReportFormatCount - 1 ? " or " : ", ")) {
      words[at++] = s;
    }
  }
  return words;
}();

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

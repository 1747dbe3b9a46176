#include <algorithm>

#include "symbolizer/report/text/diff_writers.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the section of a report that compares it with one earlier run. One run on each side has no
/// variation that could be measured, so nothing is called significant here.

namespace csink::report {
namespace {

/// Rows at most: the section is a part of a longer report.
constexpr std::size_t kChangeRows = 16;

/// The change of the whole CPU time, and what the run was compared with.
std::string SummaryLine(const Comparison& comparison) {
  std::string text = "CPU time " + Duration(comparison.cpu_seconds);
  if (comparison.ratio) {
    text += ", was " + Duration(comparison.was_cpu_seconds) + ": " +
            FixedText(*comparison.ratio, 3) + " times as much";
  }
  text += "; compared with " + Printable(comparison.baseline);
  if (!comparison.command.empty()) text += " (" + OneLine(WithBaseName(comparison.command)) + ")";
  for (const ProgramMatch& match : comparison.programs) {
    text += "; " + Printable(match.now) + " is compared with " + Printable(match.was);
  }
  // CPU seconds can be compared whatever was sampled, shares of different events cannot.
  if (comparison.event.empty()) {
    return text + "; the earlier run sampled other events: shares cannot be compared";
  }
  return text +
         "; changes are not tested (a test needs several runs: csink diff, csink bench); the "
         "interval is only that of the error of sampling";
}

}  // namespace

std::string WriteBaseline(const Report& report, const TextStyle& style) {
  if (!report.baseline) return "";
  const Comparison& comparison = *report.baseline;
  // Without tests: one run on each side is never tested.
  return "\n" + Wrapped(style, "baseline  ", SummaryLine(comparison)) +
         DrawChanges(comparison, style, std::min(kChangeRows, style.top), false);
}

}  // namespace csink::report

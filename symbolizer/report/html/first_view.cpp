#include "symbolizer/report/html/first_view.h"

#include <algorithm>

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/html/page_text.h"
#include "symbolizer/report/text/diff_writers.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// "61.2 %", with the 95 % interval in a second cell.
void WriteShare(const Cell& cell, Sink& sink) {
  sink << "<td>" << FixedText(100 * cell.share, 1) << " %</td><td>" << FixedText(100 * cell.low, 1)
       << "&ndash;" << FixedText(100 * cell.high, 1) << " %</td><td>" << Grouped(cell.samples)
       << "</td>";
}

/// The hottest functions, in the order of the report. Names stand in <bdi>, so that names of
/// another direction of writing do not change the row.
void WriteFunctions(const Report& report, Sink& sink) {
  if (report.functions.empty()) {
    sink << "<p>The profile contains no samples.</p>";
    return;
  }
  sink << "<h2>Functions</h2><table><thead><tr><th>function</th><th>module</th>";
  for (const EventTotals& event : report.profile.events) {
    sink << "<th>" << HtmlText(event.name) << "</th><th>95 % interval</th><th>samples</th>";
  }
  sink << "</tr></thead><tbody>";
  const std::size_t rows = std::min(kFirstRows, report.functions.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const FunctionRow& row = report.functions[i];
    sink << "<tr><td><bdi>" << HtmlText(row.function) << "</bdi></td><td><bdi>"
         << HtmlText(row.module) << "</bdi></td>";
    for (const Cell& cell : row.events) WriteShare(cell, sink);
    sink << "</tr>";
  }
  sink << "</tbody></table>";
  // Without JavaScript the page shows only the number of the others; the views have all of them.
  if (rows < report.functions.size()) {
    sink << "<p>" << Grouped(report.functions.size() - rows) << " more functions.</p>";
  }
}

}  // namespace

void WriteFirstView(const Report& report, Sink& sink) {
  // The same lines as in the text report. JavaScript replaces all of this by the views.
  sink << "<h1><bdi>" << HtmlText(report.command) << "</bdi></h1>";
  const std::vector<Finding> findings = FindingsOf(report);
  if (!findings.empty()) {
    sink << "<ol class=\"findings\">";
    for (const Finding& finding : findings) {
      sink << "<li><bdi>" << HtmlText(finding.text) << "</bdi></li>";
    }
    sink << "</ol>";
  }
  sink << "<p class=\"grade grade-" << WordFor(report.verdict.grade) << "\">Verdict: ";
  bool is_first = true;
  for (const std::string& line : VerdictLines(report)) {
    sink << (is_first ? "" : "<br>") << HtmlText(line);
    is_first = false;
  }
  sink << "</p><p>" << HtmlText(report.end);
  if (!report.host.empty()) sink << " on <bdi>" << HtmlText(report.host) << "</bdi>";
  sink << "; " << FixedText(report.wall_seconds, 2) << " s wall, "
       << FixedText(report.user_seconds, 2) << " s user, " << FixedText(report.system_seconds, 2)
       << " s system; " << Grouped(report.verdict.samples) << " samples</p>";
  WriteFunctions(report, sink);
}

void WriteFirstComparison(const Comparison& comparison, Sink& sink) {
  sink << "<h1><bdi>" << HtmlText(comparison.was.name) << "</bdi> (A) and <bdi>"
       << HtmlText(comparison.now.name) << "</bdi> (B)</h1><dl>";
  // The statements of the text of csink diff, so that both say the same.
  for (const DiffLine& line : DiffLines(comparison)) {
    sink << "<dt>" << line.label << "</dt><dd>" << HtmlText(line.text) << "</dd>";
  }
  sink << "</dl>";
  if (comparison.functions.empty()) {
    sink << "<p>There are no functions to compare.</p>";
    return;
  }
  sink << "<table><thead><tr><th></th><th>function</th><th>module</th><th>share in A</th><th>share "
          "in B</th><th>change of its time</th><th>95 % interval</th></tr></thead><tbody>";
  const auto percent = [](double share) { return FixedText(100 * share, 1) + " %"; };
  const auto change = [](const ChangeRow& row) -> std::string {
    const bool is_both = row.share && row.was && row.was_amount > 0;
    if (!is_both) return std::string(row.share ? "new" : "gone") + "</td><td>";
    return ChangeText(row.amount / row.was_amount) + "</td><td>" + ChangeIntervalText(row.ratio);
  };
  // The largest changes come first (compare.cpp).
  const std::size_t rows = std::min(kFirstRows, comparison.functions.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const ChangeRow& row = comparison.functions[i];
    sink << "<tr><td>" << MarkOf(row) << "</td><td><bdi>" << HtmlText(row.function)
         << "</bdi></td><td><bdi>" << HtmlText(row.module) << "</bdi></td><td>"
         << (row.was ? percent(*row.was) : "new") << "</td><td>"
         << (row.share ? percent(*row.share) : "gone") << "</td><td>" << change(row)
         << "</td></tr>";
  }
  sink << "</tbody></table>";
}

}  // namespace csink::report

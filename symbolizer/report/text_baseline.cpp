#include <algorithm>
#include <cmath>

#include "symbolizer/report/numbers.h"
#include "symbolizer/report/shorten.h"
#include "symbolizer/report/text.h"

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kChangeRows = 16;

std::string Signed(double share) {
  return (share < 0 ? "-" : "+") + FixedText(std::fabs(share) * 100, 1);
}

std::string SummaryLine(const Comparison& comparison) {
  std::string text = "CPU time " + Duration(comparison.cpu_seconds);
  if (comparison.ratio) {
    text += ", was " + Duration(comparison.was_cpu_seconds) + ": " +
            FixedText(*comparison.ratio, 3) + " times as much";
  }
  text += "; compared with " + Printable(comparison.baseline);
  if (!comparison.command.empty()) text += " (" + OneLine(WithBaseName(comparison.command)) + ")";
  if (comparison.event.empty()) text += "; it sampled other events: shares cannot be compared";
  return text;
}

}  // namespace

std::string WriteBaseline(const Report& report, const TextStyle& style) {
  if (!report.baseline) return "";
  const Comparison& comparison = *report.baseline;
  std::string text = "\n" + Wrapped(style, "baseline  ", SummaryLine(comparison));
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("was", Align::kRight);
  table.AddColumn("change", Align::kRight);
  table.AddColumn("+-95%", Align::kRight);
  table.AddColumn("", Align::kLeft);
  table.AddColumn("function (* significant)", Align::kLeft);
  table.AddColumn("module", Align::kLeft);
  const std::size_t width = style.width > 90 ? style.width - 60 : 30;
  std::size_t shown = 0;
  for (const ChangeRow& row : comparison.functions) {
    if (shown == std::min(kChangeRows, style.top)) break;
    const double largest = std::max(row.share.value_or(0), row.was.value_or(0));
    if (largest < style.min_share && !row.significant) continue;
    ++shown;
    table.AddRow({row.share ? Percent(*row.share) : "gone", row.was ? Percent(*row.was) : "new",
                  Signed(row.change), FixedText((row.high - row.low) * 50, 1),
                  row.significant ? "*" : "", ShortenFunction(Printable(row.function), width),
                  KeepHead(Printable(row.module), 24)});
  }
  return shown == 0 ? text : text + table.Draw(style, false);
}

}  // namespace csink::report

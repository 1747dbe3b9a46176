#include <algorithm>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the section about parallel regions of OpenMP: a table of regions, and a line about the
/// time of their threads outside of regions.

namespace csink::report {
namespace {

using Align = Table::Align;

/// Regions with a row.
constexpr std::size_t kRows = 10;
/// The columns left of the first text, with the gaps.
constexpr std::size_t kNumbers = 70;

/// Half of the interval in percent points: (high - low) / 2 x 100.
std::string Half(const OpenMpCell& cell) { return FixedText((cell.high - cell.low) * 50, 1); }

/// "tasks of main, imb.c:22"
std::string Title(const OpenMpRegion& region) {
  std::string title = RegionName(region);
  if (!region.in.empty()) title += "  " + ShortenFunction(region.in, 30);
  return (region.is_task ? "tasks " : "") + Printable(title);
}

/// "idle 0.43 s (12.0%), ..."
std::string OutsideText(const OpenMpTables& tables) {
  std::string text;
  const auto add = [&](const char* words, const OpenMpCell& cell) {
    // Would be shown as 0.0 %.
    if (cell.share < 0.0005) return;
    text += (text.empty() ? "" : ", ") + std::string(words) + " " + Duration(cell.seconds) + " (" +
            Percent(cell.share) + ")";
  };
  add("idle", tables.idle);
  add("in the last barrier of a region that is not known", tables.barrier);
  add("in a barrier or idle", tables.barrier_or_idle);
  add("in other code", tables.outside);
  return text;
}

/// The line above the table. It says of which time the shares are, and which option would complete
/// them.
std::string Head(const OpenMpTables& tables) {
  std::string text = Count(tables.regions.size(), "parallel region", "parallel regions");
  if (tables.threads > 0) text += ", " + Count(tables.threads, "thread", "threads");
  for (const std::string& name : tables.runtimes) text += ", " + Printable(name);
  text += "; shares are those of the ";
  text += tables.has_waits ? "time" : "CPU time";
  text += " of a region's threads in the region";
  if (!tables.has_waits) text += " (blocked threads: --wait)";
  if (!tables.has_callers) {
    text +=
        "; without call chains (--stacks), functions that a region calls are not in its row, "
        "and barriers of unknown regions remain";
  }
  return text;
}

}  // namespace

std::string WriteOpenMp(const Report& report, const TextStyle& style) {
  if (!report.openmp) return "";
  const OpenMpTables& tables = *report.openmp;
  std::string text = "\n" + Wrapped(style, "openmp   ", Head(tables));
  Table table;
  for (const char* title :
       {"seconds", "threads", "work", "barrier", "+-95%", "locks", "runtime", "imbalance"}) {
    table.AddColumn(title, Align::kRight);
  }
  table.AddColumn("parallel region", Align::kLeft);
  const std::size_t room = style.width > kNumbers + 30 ? style.width - kNumbers : 30;
  std::size_t shown = 0;
  for (const OpenMpRegion& region : tables.regions) {
    if (shown == std::min(kRows, style.top)) break;
    ++shown;
    // Files of csink merge have no threads here, and without them there is no imbalance.
    table.AddRow(
        {FixedText(region.seconds, 2), region.threads == 0 ? "-" : Grouped(region.threads),
         ShareText(region.work.share), ShareText(region.barrier.share), Half(region.barrier),
         ShareText(region.lock.share), ShareText(region.runtime.share),
         region.threads == 0 ? "-" : Percent(region.Imbalance()), KeepHead(Title(region), room)});
  }
  if (shown > 0) text += "\n" + table.Draw(style, false);
  if (shown < tables.regions.size()) {
    text += Wrapped(style, "", Count(tables.regions.size() - shown, "more region", "more regions"));
  }
  const std::string outside = OutsideText(tables);
  if (!outside.empty()) text += Wrapped(style, "outside  ", outside);
  return text;
}

}  // namespace csink::report

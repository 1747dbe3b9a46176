#include <algorithm>

#include "symbolizer/report/text/ratio_text.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"
#include "symbolizer/report/wording/thread_function.h"

/// File: the tables of threads and marks, and the line of threads above the verdict. The shares of
/// slots of threads and processes are in the main table (--by threads, --by processes).

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kThreadNames = 6;  // In the line above the verdict
constexpr std::size_t kGroupRows = 24;   // Number of thread names
constexpr std::size_t kThreadsOfGroup = 4;
constexpr std::size_t kPhaseRows = 40;
constexpr std::size_t kFunctionsShown = 3;
constexpr std::size_t kNameColumns = 24;

/// "work::Sixty 61%, malloc 12%": the hottest functions of a group, with shares relative to the
/// group's own samples. As many as fit into `width`.
std::string Hottest(const std::vector<NamedCells>& functions, const std::vector<Cell>& group,
                    std::size_t width) {
  std::string text;
  const double all = static_cast<double>(group[0].weight);
  for (std::size_t i = 0; i < functions.size() && i < kFunctionsShown && all > 0; ++i) {
    const double share = static_cast<double>(functions[i].events[0].weight) / all;
    const std::string one =
        ShortenFunction(Printable(functions[i].function), 32) + " " + Percent(share, 0);
    if (!text.empty() && DisplayWidth(text) + 2 + DisplayWidth(one) > width) break;
    text += (text.empty() ? "" : ", ") + one;
  }
  return KeepHead(text, width);
}

/// Columns for the last column if `used` are taken, at least 16.
std::size_t RoomBehind(const TextStyle& style, std::size_t used) {
  return style.width > used + 16 ? style.width - used : 16;
}

std::string NameOf(const ThreadRow& row) {
  return row.is_merged && row.name.empty() ? "(others)" : Printable(row.name);
}

/// The cells of the columns "wait s" and "blocked s"; empty cells where the times are not known.
/// Without `shown` the table has no such columns.
void AddWallCells(const WallParts& wall, bool shown, std::vector<std::string>& cells) {
  if (!shown) return;
  cells.push_back(wall.known() ? FixedText(Seconds(wall.wait_ns), 2) : "");
  cells.push_back(wall.known() ? FixedText(Seconds(wall.BlockedNs()), 2) : "");
}

/// One row of the table of threads; the cells of its columns, in their order.
std::vector<std::string> ThreadCells(std::string share, std::string samples, std::string cpu,
                                     const WallParts& wall, bool with_wall, std::string threads,
                                     std::string name) {
  std::vector<std::string> cells = {std::move(share), std::move(samples), std::move(cpu)};
  AddWallCells(wall, with_wall, cells);
  cells.push_back(std::move(threads));
  cells.push_back(std::move(name));
  return cells;
}

/// A thread's number. A sum of threads has none.
std::string NumberOf(const ThreadRow& row) { return row.is_merged ? "" : std::to_string(row.tid); }

/// What stands for a row below the row of its name.
std::string LabelBelowName(const ThreadRow& row) {
  if (row.IsOfShortThreads()) return Count(row.threads, "short thread", "short threads");
  return row.is_merged ? "others" : NumberOf(row);
}

/// Whether the times of any shown thread are known.
bool HasWall(const Report& report) {
  return std::any_of(report.thread_groups.begin(), report.thread_groups.end(),
                     [](const ThreadGroup& group) { return group.wall.known(); });
}

/// Adds the threads of one name below its row. If only one would not be shown, it is shown as well.
void AddThreadsOfGroup(const Report& report, const ThreadGroup& group, std::size_t room,
                       bool with_wall, Table& table) {
  std::size_t shown = group.threads.size();
  if (shown > kThreadsOfGroup + 1) shown = kThreadsOfGroup;
  for (std::size_t i = 0; i < shown; ++i) {
    const ThreadSummary& thread = report.threads[group.threads[i]];
    auto cells = ThreadCells(ShareText(thread.events[0].share), Grouped(thread.events[0].samples),
                             FixedText(Seconds(thread.row->cpu_ns), 2), thread.row->wall, with_wall,
                             "", "  " + LabelBelowName(*thread.row));
    cells.push_back(Hottest(thread.functions, thread.events, room));
    table.AddRow(std::move(cells));
  }
  if (shown == group.threads.size()) return;
  double share = 0;
  std::uint64_t samples = 0;
  std::uint64_t threads = 0;
  for (std::size_t i = shown; i < group.threads.size(); ++i) {
    const ThreadSummary& thread = report.threads[group.threads[i]];
    share += thread.events[0].share;
    samples += thread.events[0].samples;
    threads += thread.row->LeastThreads();
  }
  table.AddRow(ThreadCells(ShareText(share), Grouped(samples), "", {}, with_wall, "",
                           "  and " + Grouped(threads) + " more"));
}

/// The start routines of the threads in the line above the verdict, in their order.
std::vector<std::string> RoutineTexts(const Report& report) {
  std::vector<std::string> routines;
  for (std::size_t i = 0; i < report.threads.size() && i < kThreadNames; ++i) {
    routines.push_back(Printable(report.threads[i].start_routine));
  }
  return ShortenFunctions(routines, std::vector<std::size_t>(routines.size(), 30));
}

}  // namespace

std::string WriteThreads(const Report& report, const TextStyle& style) {
  if (report.thread_groups.empty()) return "";
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  table.AddColumn("CPU s", Align::kRight);
  const bool with_wall = HasWall(report);
  if (with_wall) {
    table.AddColumn("wait s", Align::kRight);
    table.AddColumn("blocked s", Align::kRight);
  }
  table.AddColumn("threads", Align::kRight);
  table.AddColumn("thread", Align::kLeft);
  table.AddColumn("hottest functions", Align::kLeft);
  const std::size_t room = RoomBehind(style, (with_wall ? 57 : 38) + kNameColumns);
  const auto& groups = report.thread_groups;
  const std::size_t shown = groups.size() > kGroupRows + 1 ? kGroupRows : groups.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const ThreadGroup& group = groups[i];
    // A name with a single thread gets its number; several threads have rows of their own below.
    std::string name = Printable(group.name);
    if (group.threads.size() == 1) {
      const std::string number = NumberOf(*report.threads[group.threads[0]].row);
      if (!number.empty()) name += " " + number;
    }
    auto cells = ThreadCells(ShareText(group.events[0].share), Grouped(group.events[0].samples),
                             FixedText(Seconds(group.cpu_ns), 2), group.wall, with_wall,
                             Grouped(group.thread_count), KeepHead(name, kNameColumns));
    cells.push_back(Hottest(group.functions, group.events, room));
    table.AddRow(std::move(cells));
    if (group.threads.size() > 1) AddThreadsOfGroup(report, group, room, with_wall, table);
  }
  if (shown < groups.size()) {
    double share = 0;
    std::uint64_t samples = 0;
    std::uint64_t threads = 0;
    for (std::size_t i = shown; i < groups.size(); ++i) {
      share += groups[i].events[0].share;
      samples += groups[i].events[0].samples;
      threads += groups[i].thread_count;
    }
    table.AddRow(ThreadCells(ShareText(share), Grouped(samples), "", {}, with_wall,
                             Grouped(threads),
                             Count(groups.size() - shown, "more name", "more names")));
  }
  return "\n" + table.Draw(style, shown < groups.size());
}

std::string WritePhases(const Report& report, const TextStyle& style) {
  // One entry is the time before the first mark: no mark was set. A report of one mark has no
  // others.
  if (report.phases.size() < 2 || !report.profile.only_phase.empty()) return "";
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  table.AddColumn("CPU s", Align::kRight);
  table.AddColumn("marks", Align::kRight);
  table.AddColumn("after mark", Align::kLeft);
  constexpr std::size_t kUsed = 36 + kNameColumns;
  constexpr std::size_t kLeastFunctions = 16;
  const std::size_t room = style.width > kUsed ? style.width - kUsed : 0;
  ShareColumns shares(report, room > kLeastFunctions ? room - kLeastFunctions : 0);
  // On a narrow screen the shares replace the functions, which --phase shows, too.
  if (shares.width() == 0) shares = ShareColumns(report, room);
  const bool with_functions = shares.width() == 0 || shares.width() + kLeastFunctions <= room;
  shares.AddColumns(table);
  if (with_functions) table.AddColumn("hottest functions", Align::kLeft);
  const std::size_t shown = std::min(report.phases.size(), kPhaseRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const PhaseSummary& phase = report.phases[i];
    std::vector<std::string> cells = {
        ShareText(phase.events[0].share), Grouped(phase.events[0].samples),
        FixedText(Seconds(phase.row->cpu_ns), 2), i == 0 ? "" : Grouped(phase.row->marks),
        i == 0 ? "(before the first)" : KeepHead(OneLine(phase.row->name), kNameColumns)};
    shares.AddCells(phase.events, cells);
    if (with_functions) {
      cells.push_back(
          Hottest(phase.functions, phase.events, RoomBehind(style, kUsed + shares.width())));
    }
    table.AddRow(std::move(cells));
  }
  const bool rest = shown < report.phases.size();
  if (rest) {
    table.AddRow({"", "", "", "", Count(report.phases.size() - shown, "more mark", "more marks")});
  }
  return "\n" + table.Draw(style, rest);
}

std::string WriteThreadLine(const Report& report, const TextStyle& style) {
  // Left out where it would say nothing: one thread, single-threaded processes, or the table of
  // threads is shown.
  const std::size_t seen = report.verdict.threads_seen;
  if (style.per_thread && !report.thread_groups.empty()) return "";
  if (report.threads.size() < 2 && seen < 2) return "";
  if (report.processes.size() > 1 && seen <= report.processes.size()) return "";
  std::uint64_t with_samples = 0;
  for (const ThreadSummary& thread : report.threads) {
    with_samples += thread.row->LeastThreads();
  }
  std::string text = Grouped(with_samples) + " with samples";
  const std::vector<std::string> routines = RoutineTexts(report);
  for (std::size_t i = 0; i < report.threads.size() && i < kThreadNames; ++i) {
    const ThreadSummary& thread = report.threads[i];
    text += i == 0 ? ": " : ", ";
    // A sum of threads has no number of its own.
    if (!thread.row->HasOwnTid()) {
      text += "others merged";
    } else {
      text += NameOf(*thread.row) + " ";
      text += thread.row->is_merged ? Count(thread.row->threads, "short thread", "short threads")
                                    : NumberOf(*thread.row);
      if (!thread.start_routine.empty() && !IsHotSpotStart(thread.start_routine)) {
        text += " (" + routines[i] + ")";
      }
    }
    text += " " + Percent(thread.events[0].share);
  }
  if (report.threads.size() > kThreadNames) text += ", ...";
  return Wrapped(style, "threads  ", text);
}

}  // namespace csink::report

#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/text/main_table.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/command_lines.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the rows of the main table, one function for each kind of row (--by). Only texts are made
/// here; main_table.cpp draws the numbers. Rows are already sorted by weight, except processes,
/// which the report has in the order of their start.

namespace csink::report {
namespace {

using symbolizer::NameSource;

/// The module's name; "no symbols" for code whose name is only an address in the module.
std::string ModuleText(const FunctionRow& row) {
  const bool unnamed = row.source == NameSource::kFde || row.source == NameSource::kNone;
  // "[liblzma.so.5+0x15bf9]" already contains the module.
  if (unnamed && row.function.find(row.module + "+") != std::string::npos) return "no symbols";
  return Printable(row.module);
}

/// "file.c:12" without folders; "" if no line is known.
std::string LineText(const std::string& file, std::uint32_t line) {
  return line == 0 ? "" : Printable(BaseName(file)) + ":" + std::to_string(line);
}

/// The hottest line of a function. Where it is in a header of a library, the program's own line
/// that the header's code was inlined at comes first: "sort.cpp:41 (stl_algo.h:1867)".
std::string HottestLine(const FunctionRow& row) {
  const std::string line = LineText(row.file, row.line);
  return row.own_line == 0 ? line : LineText(row.own_file, row.own_line) + " (" + line + ")";
}

/// ", 55% of it in C: PyLong_FromLong, PyObject_Free" behind the line of a Python function.
std::string NativeText(const FunctionRow& row) {
  constexpr std::size_t kNames = 2;
  constexpr double kLeastPart = 0.05;
  double part = 0;
  for (const NamedCells& native : row.native) part += native.events[0].share;
  if (row.events[0].share <= 0 || part < kLeastPart * row.events[0].share) return "";
  std::string text = ", " + Percent(part / row.events[0].share, 0) + " of it in C: ";
  for (std::size_t i = 0; i < std::min(kNames, row.native.size()); ++i) {
    text += (i == 0 ? "" : ", ") + ShortenFunction(Printable(row.native[i].function), 32);
  }
  return text + (row.native.size() > kNames ? ", ..." : "");
}

/// " (+2 aliases)" behind a name. The address does not tell which of several names is meant: folded
/// functions, aliases.
std::string AliasesText(const FunctionRow& row) {
  if (row.aliases == 0) return "";
  return " (+" + std::to_string(row.aliases) + (row.aliases == 1 ? " alias)" : " aliases)");
}

/// One row a function. Only these rows have a group, the module, for a flat profile.
MainTable Functions(const Report& report) {
  MainTable table{
      {{{"function", Shortening::kFunction}, {"module"}, {"hottest line", Shortening::kTail}}},
      {},
      "function",
      "functions",
      "module",
      "--by modules"};
  for (const FunctionRow& row : report.functions) {
    // The own line must stay if the column is too narrow for both.
    if (row.own_line != 0 || !row.native.empty()) table.labels[2].shortening = Shortening::kHead;
    table.rows.push_back(
        {&row.events,
         {Printable(row.function), ModuleText(row), HottestLine(row) + NativeText(row)},
         AliasesText(row),
         Printable(row.module)});
  }
  return table;
}

/// One row a source line.
MainTable Lines(const Report& report) {
  MainTable table{{{{"line", Shortening::kTail}, {"function", Shortening::kFunction}, {"module"}}},
                  {},
                  "line",
                  "lines"};
  for (const LineRow& row : report.lines) {
    table.rows.push_back(
        {&row.events, {LineLabel(row), Printable(row.function), Printable(row.module)}});
  }
  return table;
}

/// One row a file, with its number of functions and its hottest function.
MainTable Modules(const Report& report) {
  MainTable table{
      {{{"module"}, {"functions"}, {"hottest", Shortening::kFunction}}}, {}, "module", "modules"};
  for (const ModuleRow& row : report.modules) {
    table.rows.push_back(
        {&row.events, {Printable(row.module), Grouped(row.functions), Printable(row.function)}});
  }
  return table;
}

/// One row a function by its source code.
MainTable Inlines(const Report& report) {
  MainTable table{{{{"function (inlined code its own)", Shortening::kFunction},
                    {"inlined"},
                    {"most of it in", Shortening::kFunction}}},
                  {},
                  "function",
                  "functions"};
  for (const InlineRow& row : report.inlines) {
    // Of the first event, by which rows are sorted.
    const double all = static_cast<double>(row.events[0].weight);
    const double part = all > 0 ? static_cast<double>(row.inlined[0].weight) / all : 0;
    table.rows.push_back(
        {&row.events,
         {Printable(row.function), part > 0 ? Percent(part, 0) : "-", Printable(row.inlined_in)}});
  }
  return table;
}

/// One row a thread, or a sum of threads: short threads of one routine, or "(others)".
MainTable Threads(const Report& report) {
  MainTable table{
      {{{"thread"}, {"tid"}, {"start routine", Shortening::kFunction}}}, {}, "thread", "threads"};
  for (const ThreadSummary& thread : report.threads) {
    const ThreadRow& row = *thread.row;
    std::string name = row.is_merged && row.name.empty() ? "(others)" : Printable(row.name);
    if (row.IsOfShortThreads()) name += ", " + Count(row.threads, "short thread", "short threads");
    table.rows.push_back({&thread.events,
                          {std::move(name), row.is_merged ? "" : std::to_string(row.tid),
                           Printable(thread.start_routine)}});
  }
  return table;
}

/// One row a process. The section of processes has them as a tree instead.
MainTable Processes(const Report& report, std::size_t width) {
  MainTable table{{{{"process"}, {"pid"}, {"CPU s"}}}, {}, "process", "processes"};
  std::vector<std::string> commands;
  for (const ProcessSummary& process : report.processes) {
    const ProcessRow& row = *process.row;
    commands.push_back(OneLine(row.command.empty() ? row.program : row.command));
  }
  // The first label gets about half of the screen (ChooseWidths in main_table.cpp).
  commands = DifferingParts(commands, width / 2);
  for (const ProcessSummary& process : report.processes) {
    const ProcessRow& row = *process.row;
    std::string command = commands[table.rows.size()];
    command = StateMark(row.state) + command;
    // Since the agent was ready, as for the samples.
    const std::uint64_t cpu = SaturatingAdd(SaturatingSubtract(row.user_ns, row.start_user_ns),
                                            SaturatingSubtract(row.system_ns, row.start_system_ns));
    table.rows.push_back(
        {&process.events, {command, std::to_string(row.pid), FixedText(Seconds(cpu), 2)}});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const MainRow& a, const MainRow& b) {
    return (*a.cells)[0].weight > (*b.cells)[0].weight;
  });
  return table;
}

/// The rows that --by asks for.
MainTable RowsBy(const Report& report, const TextStyle& style) {
  switch (style.by) {
    case By::kLines:
      return Lines(report);
    case By::kModules:
      return Modules(report);
    case By::kThreads:
      return Threads(report);
    case By::kProcesses:
      return Processes(report, style.width);
    case By::kInlines:
      return Inlines(report);
    case By::kFunctions:
    case By::kNative:
    case By::kWaits:  // only in comparisons
      break;
  }
  return Functions(report);
}

}  // namespace

std::string WriteMain(const Report& report, const TextStyle& style) {
  MainTable table = RowsBy(report, style);
  // For instance no line is known.
  if (table.rows.empty()) return "no " + table.many + " are known\n";
  return DrawMainTable(report, style, std::move(table));
}

}  // namespace csink::report

#include <charconv>
#include <cmath>

#include "symbolizer/report/formats/formats.h"
#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/csv_field.h"
#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/formats/sample_table.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

/// File: writes tables as comma-separated values (csv_field.h): the wide ones with columns for each
/// event here, the table of samples by sample_table.h. docs/formats.md and docs/tables.md list the
/// columns.

namespace csink::report {
namespace {

/// Writes fields and line ends.
class CsvLines {
 public:
  explicit CsvLines(Sink& sink) : sink_(sink) {}

  /// A field, in quotes if it needs them; quotes in it are doubled.
  CsvLines& Text(std::string_view text) {
    Separate();
    sink_ << CsvField(text);
    return *this;
  }
  CsvLines& Count(std::uint64_t number) {
    Separate();
    sink_ << number;
    return *this;
  }
  /// The shortest text that reads back as the same number, independent of the locale.
  CsvLines& Number(double number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number);
    return Text({text, static_cast<std::size_t>(end.ptr - text)});
  }
  /// RFC 4180 wants CR and LF at the end of a row.
  void End() {
    sink_ << "\r\n";
    is_first_ = true;
  }

 private:
  void Separate() {
    if (!is_first_) sink_ << ',';
    is_first_ = false;
  }
  Sink& sink_;
  bool is_first_ = true;
};

/// Writes one table. Each row ends with the verdict (docs/formats.md).
class CsvReport {
 public:
  CsvReport(const Report& report, const FormatOptions& options, Sink& sink)
      : report_(report), events_(ChosenEvents(report, options)), lines_(sink) {
    // The first line has the grade; the others would make rows too long.
    const auto verdict = VerdictLines(report);
    verdict_ = verdict.empty() ? WordFor(report.verdict.grade) : verdict[0];
  }

  void Functions() {
    // The columns are those of docs/formats.md, behind them the events, then the verdict.
    Titles({"function", "module", "module_path", "name_source", "file", "line", "own_file",
            "own_line"},
           true);
    for (const FunctionRow& row : report_.functions) {
      Text(row.function).Text(Clean(row.module)).Text(Clean(row.module_path));
      lines_.Text(WordFor(row.source)).Text(Clean(row.file));
      Line(row.line);
      Text(row.own_file);
      Line(row.own_line);
      Cells(row.events);
      for (std::size_t i = 0; i < row.derived.size(); ++i) {
        // Three fields for each ratio: value and bounds. Empty where nothing is known.
        if (row.derived[i]) {
          lines_.Number(*row.derived[i]);
          Bound(row.derived_intervals[i].low);
          Bound(row.derived_intervals[i].high);
        } else {
          lines_.Text("").Text("").Text("");
        }
      }
      if (report_.energy) {
        const EnergyShares& energy = *report_.energy;
        // Joules of the machine by CPU time (docs/energy.md).
        lines_.Number(energy.program_joules * row.events[energy.event].share);
      }
      EndRow();
    }
  }
  /// One row for each source line, hottest first.
  void Lines() {
    Titles({"file", "line", "own_file", "own_line", "function", "module"});
    for (const LineRow& row : report_.lines) {
      Text(row.file);
      Line(row.line);
      Text(row.own_file);
      Line(row.own_line);
      Text(row.function).Text(Clean(row.module));
      Cells(row.events);
      EndRow();
    }
  }
  /// One row for each thread with samples. "merged" is 1 where the row stands for several threads.
  void Threads() {
    Titles({"pid", "tid", "name", "start_routine", "cpu_seconds", "sampled_seconds", "lost_records",
            "merged"});
    for (const ThreadSummary& thread : report_.threads) {
      lines_.Count(thread.pid).Count(thread.row->tid).Text(Clean(thread.row->name));
      lines_.Text(Clean(thread.start_routine)).Number(Seconds(thread.row->cpu_ns));
      lines_.Number(Seconds(thread.row->sampled_ns)).Count(thread.row->lost_records);
      lines_.Count(thread.row->is_merged ? 1 : 0);
      Cells(thread.events);
      EndRow();
    }
  }
  /// One row for each process image. Times are since the start of the process, as in JSON.
  void Processes() {
    Titles({"pid", "parent_pid", "generation", "program", "command", "host", "state", "rank",
            "user_seconds", "system_seconds", "threads_seen", "threads_sampled", "processes"});
    for (const ProcessSummary& process : report_.processes) {
      const ProcessRow& row = *process.row;
      lines_.Count(row.pid).Count(row.parent_pid).Count(row.generation);
      lines_.Text(Clean(row.program)).Text(Clean(row.command)).Text(Clean(row.host));
      lines_.Text(WordFor(row.state)).Text(row.rank < 0 ? "" : std::to_string(row.rank));
      lines_.Number(Seconds(row.user_ns)).Number(Seconds(row.system_ns));
      lines_.Count(row.threads_seen).Count(row.threads_sampled).Count(row.processes);
      Cells(process.events);
      EndRow();
    }
  }

 private:
  /// Control characters become blanks, because a line end in a field breaks many readers.
  static std::string Clean(std::string_view text) { return CleanName(text, {}, ' '); }
  CsvLines& Text(std::string_view text) { return lines_.Text(Clean(text)); }
  /// Writes an empty field if there is no bound.
  void Bound(double bound) {
    if (std::isfinite(bound)) {
      lines_.Number(bound);
    } else {
      lines_.Text("");
    }
  }
  /// A line number; empty if it is not known.
  void Line(std::uint32_t line) { lines_.Text(line == 0 ? "" : std::to_string(line)); }
  /// The header line. `derived`: with the ratios and the energy of functions.
  void Titles(std::initializer_list<const char*> titles, bool derived = false) {
    for (const char* title : titles) lines_.Text(title);
    for (const std::size_t event : events_) {
      const std::string name = Clean(report_.profile.events[event].name);
      for (const char* what : {" samples", " weight", " share", " low", " high"}) {
        lines_.Text(name + what);
      }
    }
    for (std::size_t i = 0; derived && i < report_.derived.size(); ++i) {
      for (const char* what : {"", " low", " high"}) lines_.Text(report_.derived[i].key + what);
    }
    if (derived && report_.energy) lines_.Text("joules_estimate");
    lines_.Text("verdict");
    lines_.End();
  }
  /// The five columns of each event (docs/formats.md).
  void Cells(const std::vector<Cell>& cells) {
    for (const std::size_t event : events_) {
      const Cell& cell = cells[event];
      lines_.Count(cell.samples).Count(cell.weight);
      lines_.Number(cell.share).Number(cell.low).Number(cell.high);
    }
  }
  /// Each row has the verdict, because the format has no place for it outside of rows.
  void EndRow() {
    lines_.Text(verdict_);
    lines_.End();
  }

  const Report& report_;
  const std::vector<std::size_t> events_;
  CsvLines lines_;
  std::string verdict_;
};

}  // namespace

/// The table that the options choose. One of the writers of formats.h.
Result<void> WriteCsv(const Report& report, const FormatOptions& options, Sink& sink) {
  if (options.table == CsvTable::kSamples) {
    WriteSampleTable(report, options, RowForm::kCsv, sink);
    return {};
  }
  // The wide tables have a column for each event, so that they are not for databases
  // (docs/formats.md).
  CsvReport csv(report, options, sink);
  switch (options.table) {
    case CsvTable::kSamples:
      break;
    case CsvTable::kFunctions:
      csv.Functions();
      break;
    case CsvTable::kLines:
      csv.Lines();
      break;
    case CsvTable::kThreads:
      csv.Threads();
      break;
    case CsvTable::kProcesses:
      csv.Processes();
      break;
  }
  return {};
}

}  // namespace csink::report

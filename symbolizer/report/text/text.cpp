#include "symbolizer/report/text/text.h"

#include <algorithm>
#include <filesystem>

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/text/precision.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the header and the order of the sections of a text report. The sections are in files of
/// their own (text.h).

namespace csink::report {
namespace {

using Align = Table::Align;

/// Rows of the table of hottest lines below the table of functions.
constexpr std::size_t kLineRows = 8;

/// "pid 4711", with the number in the process's own pid namespace where that is another one.
std::string PidWords(const Report& report) {
  std::string words = "pid " + std::to_string(report.pid);
  if (report.namespace_pid != 0 && report.namespace_pid != report.pid) {
    words += " (" + std::to_string(report.namespace_pid) + " in its pid namespace)";
  }
  return words;
}

/// Which program ran, in how many processes, and how long. Tries the whole command, then without
/// the folder of its program, then cut and with the times on a second line.
std::string HeaderLine(const Report& report, const TextStyle& style) {
  std::string times = FixedText(report.wall_seconds, 2) + " s wall, " +
                      FixedText(report.user_seconds, 2) + " s user, " +
                      FixedText(report.system_seconds, 2) + " s system";
  if (!report.system_sampled) times += " (not sampled)";
  const Ledger& ledger = report.verdict.ledger;
  const std::uint64_t processes = ledger.processes;
  // What the kernel counted of processes that nobody waited for has no split.
  if (ledger.undivided_seconds >= 0.01 * ledger.cpu_seconds && ledger.undivided_seconds >= 0.01) {
    times += ", " + FixedText(ledger.undivided_seconds, 2) + " s of both";
  }
  const std::string who =
      processes > 1 ? Count(processes, "process", "processes") : PidWords(report);
  const std::string label = "csink  ";
  const std::string command = OneLine(report.command);
  const std::string rest = who + "   " + times;
  const std::size_t room = style.width - label.size();
  if (DisplayWidth(command) + 3 + rest.size() <= room) {
    return Bold(style, label) + command + "   " + rest + "\n";
  }
  // The end of a long path identifies the program, so the beginning is cut.
  const std::string short_command = WithBaseName(command);
  if (DisplayWidth(short_command) + 3 + rest.size() <= room) {
    return Bold(style, label) + short_command + "   " + rest + "\n";
  }
  return Bold(style, label) + KeepHead(short_command, room) + "\n" +
         Wrapped(style, std::string(label.size(), ' '), rest);
}

/// How often the event was sampled. `precision_is_said`: the line of an event before has the same
/// precision.
std::string Rate(const EventTotals& event, bool precision_is_said) {
  std::string text;
  if (event.frequency_hz != 0) {
    text = "at " + Grouped(event.frequency_hz) + " Hz";
  } else if (event.kind == EventClass::kClock) {
    text = "every " + Duration(static_cast<double>(event.period) / 1e9) + " of CPU time";
  } else {
    text = "every " + Grouped(event.period);
  }
  if (event.mixed_periods) text += " (or less often: processes differ)";
  text += PrecisionNote(event, precision_is_said);
  // The kernel's tick decides how often such a clock is sampled, so the real interval is shown.
  if (event.skid == spool::Skid::kTick && event.samples > 0 && event.kind == EventClass::kClock) {
    const double weight = static_cast<double>(event.weight);
    text += ": one in " + Duration(weight / static_cast<double>(event.samples) / 1e9);
  }
  return text;
}

/// One line for each event, and one for each device counter. The source of the samples is behind
/// the last event.
std::string EventLines(const Report& report, const TextStyle& style) {
  std::string text;
  const auto& events = report.profile.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto before = events.begin() + static_cast<std::ptrdiff_t>(i);
    const bool said = std::any_of(events.begin(), before, [&](const EventTotals& other) {
      return PrecisionNote(other) == PrecisionNote(events[i]);
    });
    std::string line = Printable(events[i].name) + " " + Rate(events[i], said);
    if (i + 1 == events.size()) {
      line += "; " + report.source;
      if (!report.source_reason.empty()) line += ": " + Printable(report.source_reason);
    }
    text += Wrapped(style, "event  ", line);
  }
  for (const std::string& line : EnergyHeaderLines(report)) text += Wrapped(style, "energy ", line);
  return text;
}

/// Removes redundant parts of paths in line tables: "./elf/../sysdeps/x.c" -> "sysdeps/x.c".
std::string NormalPath(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

std::string LineLabel(const LineRow& row) {
  std::string text = Printable(NormalPath(row.file)) + ":" + std::to_string(row.line);
  if (row.own_line == 0) return text;
  return Printable(NormalPath(row.own_file)) + ":" + std::to_string(row.own_line) + " (" +
         BaseName(text) + ")";
}

namespace {

/// The findings, numbered; a sentence if there is none.
std::string WriteFindings(const Report& report, const TextStyle& style) {
  constexpr std::size_t kLabel = 13;  // "findings  1  "
  const std::vector<Finding> findings =
      FindingsOf(report, std::min(kFindingNameColumns, style.width - kLabel));
  if (findings.empty()) {
    return Wrapped(style, "findings   ", "none: no function, lock or wait stands out") + "\n";
  }
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string number = std::to_string(i + 1) + "  ";
    text += Wrapped(style, (i == 0 ? "findings  " : "          ") + number,
                    Printable(findings[i].text));
  }
  return text + "\n";
}

/// Whether the precision of the events is worth a line: if lines may be far from the cause, or in a
/// long run. The usual precision of a clock is the same in every report.
bool PrecisionMatters(const Report& report, const TextStyle& style) {
  if (style.verbose || report.wall_seconds >= kShortRunSeconds) return true;
  return std::any_of(
      report.profile.events.begin(), report.profile.events.end(), [](const EventTotals& event) {
        return event.skid != spool::Skid::kTimer && event.skid != spool::Skid::kExact;
      });
}

/// The hottest source lines over all functions, with the precision of the events: a line with skid
/// may be the wrong one. "" if no line is known or hot enough.
std::string LineTable(const Report& report, const TextStyle& style) {
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("+-95%", Align::kRight);
  table.AddColumn("hottest lines", Align::kLeft);
  table.AddColumn("function", Align::kLeft);
  // Columns for line and function: 18 are taken by the numbers and the gaps.
  const std::size_t room = style.width > 40 ? style.width - 18 : 40;
  std::vector<const LineRow*> rows;
  std::vector<std::string> functions;
  for (const LineRow& row : report.lines) {
    if (rows.size() == std::min(kLineRows, style.top)) break;
    if (row.events[0].share < style.min_share) break;
    rows.push_back(&row);
    functions.push_back(Printable(row.function));
  }
  if (rows.empty()) return "";
  functions =
      ShortenFunctions(functions, std::vector<std::size_t>(functions.size(), room * 2 / 5 - 2));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Cell& cell = rows[i]->events[0];
    table.AddRow({ShareText(cell.share), FixedText((cell.high - cell.low) * 50, 1),
                  KeepTail(LineLabel(*rows[i]), room * 3 / 5), functions[i]});
  }
  std::string text = "\n" + table.Draw(style, false);
  if (PrecisionMatters(report, style)) {
    text += WritePrecision(report.profile, style, "precision  ");
  }
  return text;
}

}  // namespace

std::string WriteText(const Report& report, const TextStyle& style) {
  std::string text = HeaderLine(report, style) + EventLines(report, style) + "\n";
  if (style.by == By::kFunctions) text += WriteFindings(report, style);
  if (report.functions.empty()) {
    // A program that only waits has no samples, but its waits are a report.
    text += "no samples\n" + WriteWaits(report, style);
  } else if (style.by != By::kFunctions) {
    text += WriteMain(report, style) + WriteBaseline(report, style);
  } else {
    text += WriteMain(report, style);
    text += LineTable(report, style);
    text += WriteCallers(report, style);
    if (style.call_tree) text += WriteCallTree(report, style);
    text += WriteOpenMp(report, style);
    text += WriteWaits(report, style);
    text += WritePhases(report, style);
    if (style.per_thread) text += WriteThreads(report, style);
    if (style.time_line) text += WriteTimeLine(report, style);
    text += WriteRanks(report, style);
    text += WriteProcesses(report, style);
    text += WritePrograms(report, style);
    text += WriteBaseline(report, style);
  }
  text += "\n";
  // With rows of threads the main table says the same.
  if (style.by != By::kThreads) text += WriteThreadLine(report, style);
  text += WriteVerdict(report, style);
  return text;
}

}  // namespace csink::report

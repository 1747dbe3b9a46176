#include "symbolizer/report/text.h"

#include <algorithm>
#include <filesystem>

#include "profil/model/saturating.h"
#include "symbolizer/report/numbers.h"
#include "symbolizer/report/shorten.h"

namespace csink::report {
namespace {

using Align = Table::Align;

constexpr std::size_t kLineRows = 8;
constexpr std::size_t kProcessRows = 12;
constexpr std::size_t kThreadNames = 6;

/// The command with the folder of its program left out.
std::string WithBaseName(const std::string& command) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::size_t slash = command.rfind('/', end);
  return slash == std::string::npos || slash + 1 >= end ? command : command.substr(slash + 1);
}

std::string HeaderLine(const Report& report, const TextStyle& style) {
  std::string times = FixedText(report.wall_seconds, 2) + " s wall, " +
                      FixedText(report.user_seconds, 2) + " s user, " +
                      FixedText(report.system_seconds, 2) + " s system";
  if (!report.system_sampled) times += " (not sampled)";
  const std::string who = report.processes.size() > 1
                              ? Count(report.processes.size(), "process", "processes")
                              : "pid " + std::to_string(report.pid);
  const std::string label = "csink  ";
  const std::string command = OneLine(report.command);
  const std::string rest = who + "   " + times;
  const std::size_t room = style.width - label.size();
  if (DisplayWidth(command) + 3 + rest.size() <= room) {
    return Bold(style, label) + command + "   " + rest + "\n";
  }
  // The end of a long path names the program, its head does not.
  const std::string short_command = WithBaseName(command);
  if (DisplayWidth(short_command) + 3 + rest.size() <= room) {
    return Bold(style, label) + short_command + "   " + rest + "\n";
  }
  return Bold(style, label) + KeepHead(short_command, room) + "\n" +
         Wrapped(style, std::string(label.size(), ' '), rest);
}

std::string Rate(const EventTotals& event) {
  std::string text;
  if (event.frequency_hz != 0) {
    text = "at " + Grouped(event.frequency_hz) + " Hz";
  } else if (event.kind == spool::EventKind::kClock) {
    text = "every " + Duration(static_cast<double>(event.period) / 1e9) + " of CPU time";
  } else {
    text = "every " + Grouped(event.period);
  }
  if (event.mixed_periods) text += " (or slower: processes differ)";
  switch (event.skid) {
    case spool::Skid::kExact:
      return text + ", exact";
    case spool::Skid::kNextInstruction:
      return text + ", at the next instruction";
    case spool::Skid::kInterrupt:
      return text + ", with skid";
    case spool::Skid::kTick:
      text += ", at the kernel's ticks";
      if (event.samples > 0 && event.kind == spool::EventKind::kClock) {
        const double weight = static_cast<double>(event.weight);
        text += ": one in " + Duration(weight / static_cast<double>(event.samples) / 1e9);
      }
      return text;
    case spool::Skid::kTimer:
    case spool::Skid::kUnknown:
      break;
  }
  return text;
}

std::string EventLines(const Report& report, const TextStyle& style) {
  std::string text;
  const auto& events = report.profile.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::string line = Printable(events[i].name) + " " + Rate(events[i]);
    if (i + 1 == events.size()) {
      line += "; " + report.source;
      if (!report.source_reason.empty()) line += ": " + Printable(report.source_reason);
    }
    text += Wrapped(style, "event  ", line);
  }
  return text;
}

/// Without the detours that line tables keep: "./elf/../sysdeps/x.c" is "sysdeps/x.c".
std::string NormalPath(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

std::string LineTable(const Report& report, const TextStyle& style) {
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("+-95%", Align::kRight);
  table.AddColumn("hottest lines", Align::kLeft);
  table.AddColumn("function", Align::kLeft);
  std::size_t shown = 0;
  const std::size_t room = style.width > 40 ? style.width - 18 : 40;
  for (const LineRow& row : report.lines) {
    if (shown == std::min(kLineRows, style.top) || row.events[0].share < style.min_share) break;
    const Cell& cell = row.events[0];
    table.AddRow(
        {Percent(cell.share), FixedText((cell.high - cell.low) * 50, 1),
         KeepTail(Printable(NormalPath(row.file)) + ":" + std::to_string(row.line), room * 3 / 5),
         ShortenFunction(Printable(row.function), room * 2 / 5 - 2)});
    ++shown;
  }
  return shown == 0 ? "" : "\n" + table.Draw(style, false);
}

/// How many images of the same process came before; rows are in the order of start.
std::size_t ImageNumber(const std::vector<ProcessSummary>& processes, const ProcessRow& row) {
  std::size_t before = 0;
  for (const ProcessSummary& other : processes) {
    if (other.row == &row) break;
    before += other.row->pid == row.pid && other.row->start_ticks == row.start_ticks &&
              other.row->host == row.host;
  }
  return before;
}

std::string ProcessTable(const Report& report, const TextStyle& style) {
  if (report.processes.size() < 2) return "";
  std::vector<const ProcessSummary*> order;
  for (const ProcessSummary& process : report.processes) order.push_back(&process);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->events[0].weight > b->events[0].weight;
  });
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  table.AddColumn("pid", Align::kRight);
  table.AddColumn("user s", Align::kRight);
  table.AddColumn("process", Align::kLeft);
  const std::size_t shown = order.size() > kProcessRows + 1 ? kProcessRows : order.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const ProcessRow& row = *order[i]->row;
    std::string pid = std::to_string(row.pid);
    if (const std::size_t image = ImageNumber(report.processes, row)) {
      pid += "#" + std::to_string(image);
    }
    std::string command = OneLine(row.command.empty() ? row.program : row.command);
    // The program by its name, without its folder: the arguments tell more.
    const std::string path = command.substr(0, command.find(' '));
    if (const auto slash = path.rfind('/'); slash != std::string::npos) command.erase(0, slash + 1);
    if (row.state == ProcessState::kKilled) command = "[killed] " + command;
    if (row.state == ProcessState::kLive) command = "[running] " + command;
    const std::uint64_t user = SaturatingSubtract(row.user_ns, row.start_user_ns);
    table.AddRow({Percent(order[i]->events[0].share), Grouped(order[i]->events[0].samples), pid,
                  FixedText(Seconds(user), 2),
                  KeepHead(WithBaseName(command), style.width > 60 ? style.width - 40 : 20)});
  }
  if (shown < order.size()) {
    double share = 0;
    std::uint64_t samples = 0;
    for (std::size_t i = shown; i < order.size(); ++i) {
      share += order[i]->events[0].share;
      samples += order[i]->events[0].samples;
    }
    table.AddRow({Percent(share), Grouped(samples), "", "",
                  Count(order.size() - shown, "more process", "more processes")});
  }
  return "\n" + table.Draw(style, shown < order.size());
}

std::string ThreadLine(const Report& report, const TextStyle& style) {
  std::size_t seen = report.verdict.threads_seen;
  if (report.threads.size() < 2 && seen < 2) return "";
  if (report.processes.size() > 1 && seen <= report.processes.size()) return "";
  std::string text = Grouped(report.threads.size()) + " with samples";
  for (std::size_t i = 0; i < report.threads.size() && i < kThreadNames; ++i) {
    const ThreadSummary& thread = report.threads[i];
    text += i == 0 ? ": " : ", ";
    if (thread.row->is_merged) {
      text += "others merged";
    } else {
      text += Printable(thread.row->name) + " " + std::to_string(thread.row->tid);
      if (!thread.start_routine.empty()) {
        text += " (" + ShortenFunction(Printable(thread.start_routine), 30) + ")";
      }
    }
    text += " " + Percent(thread.events[0].share);
  }
  if (report.threads.size() > kThreadNames) text += ", ...";
  return Wrapped(style, "threads  ", text);
}

}  // namespace

std::string WriteText(const Report& report, const TextStyle& style) {
  std::string text = HeaderLine(report, style) + EventLines(report, style) + "\n";
  if (report.functions.empty()) {
    text += "no samples\n";
  } else {
    text += WriteFunctions(report, style);
    text += LineTable(report, style);
    text += ProcessTable(report, style);
  }
  text += "\n" + ThreadLine(report, style) + WriteVerdict(report, style);
  return text;
}

}  // namespace csink::report

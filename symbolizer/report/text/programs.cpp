#include <algorithm>
#include <map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/command_lines.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes the sums of all processes of the same program, below the table of processes. A
/// build has hundreds of compilers, of which the table shows the largest ones only.

namespace csink::report {
namespace {

using Align = Table::Align;

/// Programs with a row of their own; the others share the last row.
constexpr std::size_t kProgramRows = 8;

/// The sum of the processes of one program. Shares are of the first event.
struct Program {
  std::string name;
  std::uint64_t processes = 0;
  double share = 0;
  std::uint64_t samples = 0;
  std::uint64_t weight = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;

  /// Adds the numbers of another sum. The name stays.
  void Add(const Program& other) {
    AddTo(processes, other.processes);
    share += other.share;
    AddTo(samples, other.samples);
    AddTo(weight, other.weight);
    AddTo(user_ns, other.user_ns);
    AddTo(system_ns, other.system_ns);
  }
};

/// The sums, most samples first.
std::vector<Program> Programs(const Report& report) {
  std::map<std::string, Program> by_name;
  for (const ProcessSummary& process : report.processes) {
    const ProcessRow& row = *process.row;
    // A sum of processes beyond the limit may be of different programs.
    const std::string name =
        row.processes > 1
            ? "(other processes)"
            : ProgramOfCommand(OneLine(row.command.empty() ? row.program : row.command));
    Program& program = by_name[name];
    program.name = name;
    program.Add({name, row.processes, process.events[0].share, process.events[0].samples,
                 process.events[0].weight, SaturatingSubtract(row.user_ns, row.start_user_ns),
                 SaturatingSubtract(row.system_ns, row.start_system_ns)});
  }
  std::vector<Program> programs;
  for (auto& [name, program] : by_name) programs.push_back(std::move(program));
  std::stable_sort(programs.begin(), programs.end(),
                   [](const Program& a, const Program& b) { return a.weight > b.weight; });
  return programs;
}

/// One row. `text`: the name and the number of processes.
void AddRow(const Program& program, const std::string& text, Table& table) {
  table.AddRow({ShareText(program.share), Grouped(program.samples),
                FixedText(Seconds(program.user_ns), 2), FixedText(Seconds(program.system_ns), 2),
                text});
}

}  // namespace

std::string WritePrograms(const Report& report, const TextStyle& style) {
  const std::vector<Program> programs = Programs(report);
  const bool has_sum = std::any_of(programs.begin(), programs.end(),
                                   [](const Program& program) { return program.processes > 1; });
  // The sum of a single program is in the header of the report.
  if (programs.size() < 2 || !has_sum) return "";
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  table.AddColumn("user s", Align::kRight);
  table.AddColumn("sys s", Align::kRight);
  table.AddColumn("program x processes", Align::kLeft);
  // A single further program is shown instead of being counted.
  const std::size_t shown = programs.size() > kProgramRows + 1 ? kProgramRows : programs.size();
  Program rest;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (i >= shown) {
      rest.Add(programs[i]);
      continue;
    }
    const std::string count = " x " + Grouped(programs[i].processes);
    // 40 columns are left for the numbers and for the number of processes.
    AddRow(programs[i],
           KeepHead(programs[i].name, std::max<std::size_t>(style.width, 60) - 40) +
               (programs[i].processes > 1 ? count : ""),
           table);
  }
  const bool has_rest = shown < programs.size();
  if (has_rest) {
    AddRow(rest,
           Count(programs.size() - shown, "more program", "more programs") + " x " +
               Grouped(rest.processes),
           table);
  }
  return "\n" + table.Draw(style, has_rest);
}

}  // namespace csink::report

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/command_lines.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes the table of processes. Shows the ones with most samples, each below its nearest
/// ancestor that is shown, too.

namespace csink::report {
namespace {

using Align = Table::Align;

/// Processes with a row of their own; the others share the last row.
constexpr std::size_t kProcessRows = 16;
constexpr std::size_t kMostIndent = 8;  // Levels
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The table of processes. Draw calls the steps below in order; each uses the members that the
/// steps before it have filled.
class ProcessTable {
 public:
  ProcessTable(const Report& report, const TextStyle& style) : report_(report), style_(style) {
    for (const ProcessSummary& process : report.processes) {
      has_ranks_ = has_ranks_ || process.row->rank >= 0;
    }
  }
  std::string Draw();

 private:
  void Choose();
  void LinkParents();
  void ShortenCommands();
  void AddRows(std::size_t parent, std::size_t level, Table& table) const;
  void AddRow(std::size_t index, std::size_t level, Table& table) const;
  void AddRest(Table& table) const;
  std::size_t CommandColumns() const;
  std::uint64_t Weight(std::size_t i) const { return report_.processes[i].events[0].weight; }

  const Report& report_;
  const TextStyle& style_;
  bool has_ranks_ = false;
  std::vector<std::size_t> order_;     // By weight
  std::size_t shown_ = 0;              // Number of elements of order_ that are shown
  std::vector<std::size_t> parent_;    // For each process, the nearest ancestor that is shown
  std::vector<std::string> commands_;  // For each process; "" for those that are not shown
};

/// The number of earlier images of the same process. Rows are sorted by start time.
std::size_t ImageNumber(const std::vector<ProcessSummary>& processes, const ProcessRow& row) {
  std::size_t before = 0;
  for (const ProcessSummary& other : processes) {
    if (other.row == &row) break;
    before += other.row->pid == row.pid && other.row->start_ticks == row.start_ticks &&
              other.row->host == row.host;
  }
  return before;
}

/// Chooses the processes with most samples. If only one would share the last row, it gets a row
/// itself.
void ProcessTable::Choose() {
  for (std::size_t i = 0; i < report_.processes.size(); ++i) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    // The sum of processes beyond the limit is not shown as a process.
    const bool a_rest = report_.processes[a].row->processes > 1;
    const bool b_rest = report_.processes[b].row->processes > 1;
    return a_rest != b_rest ? b_rest : Weight(a) > Weight(b);
  });
  shown_ = order_.size() > kProcessRows + 1 ? kProcessRows : order_.size();
  while (shown_ > 0 && report_.processes[order_[shown_ - 1]].row->processes > 1) --shown_;
}

/// Finds the nearest ancestor of each shown process that is shown, too. Ancestors that are not
/// shown are skipped.
void ProcessTable::LinkParents() {
  const auto& processes = report_.processes;
  std::map<std::pair<std::string, std::uint32_t>, std::vector<std::size_t>> by_pid;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    by_pid[{processes[i].row->host, processes[i].row->pid}].push_back(i);
  }
  std::vector<bool> is_shown(processes.size());
  for (std::size_t i = 0; i < shown_; ++i) is_shown[order_[i]] = true;
  // The parent's latest image that is older than the child: pids are reused.
  const auto parent_of = [&](std::size_t i) {
    const ProcessRow& row = *processes[i].row;
    std::size_t parent = kNone;
    const auto found = by_pid.find({row.host, row.parent_pid});
    // The numbers are from files: a process must not become its own ancestor.
    if (row.parent_pid == row.pid || found == by_pid.end()) return parent;
    for (const std::size_t candidate : found->second) {
      if (processes[candidate].row->start_realtime_ns < row.start_realtime_ns) parent = candidate;
    }
    return parent;
  };
  parent_.assign(processes.size(), kNone);
  for (std::size_t i = 0; i < shown_; ++i) {
    // Each step leads to a process that started earlier, so the loop ends.
    std::size_t ancestor = parent_of(order_[i]);
    while (ancestor != kNone && !is_shown[ancestor]) ancestor = parent_of(ancestor);
    parent_[order_[i]] = ancestor;
  }
}

/// Columns for the command, behind the numbers.
std::size_t ProcessTable::CommandColumns() const {
  const std::size_t used = has_ranks_ ? 56 : 48;
  return style_.width > used + 20 ? style_.width - used : 20;
}

/// The commands of the shown processes. If some do not fit, only the parts are kept in which the
/// processes of a program differ.
void ProcessTable::ShortenCommands() {
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < shown_; ++i) {
    const ProcessRow& row = *report_.processes[order_[i]].row;
    commands.push_back(OneLine(row.command.empty() ? row.program : row.command));
  }
  const std::vector<std::string> parts = DifferingParts(commands, CommandColumns());
  // By process, because rows are drawn in the order of the tree.
  commands_.resize(report_.processes.size());
  for (std::size_t i = 0; i < shown_; ++i) commands_[order_[i]] = parts[i];
}

/// One process. Images after the first are numbered: "4711#1".
void ProcessTable::AddRow(std::size_t index, std::size_t level, Table& table) const {
  const ProcessSummary& process = report_.processes[index];
  const ProcessRow& row = *process.row;
  std::string pid = std::to_string(row.pid);
  // Images of one process (exec) share its number.
  if (const std::size_t image = ImageNumber(report_.processes, row)) {
    pid += "#" + std::to_string(image);
  }
  std::string command = commands_[index];
  command = StateMark(row.state) + command;
  std::vector<std::string> cells = {ShareText(process.events[0].share),
                                    Grouped(process.events[0].samples)};
  if (has_ranks_) cells.push_back(row.rank >= 0 ? std::to_string(row.rank) : "-");
  cells.push_back(pid);
  // Without the time before the agent was ready, which has no samples.
  cells.push_back(FixedText(Seconds(SaturatingSubtract(row.user_ns, row.start_user_ns)), 2));
  cells.push_back(FixedText(Seconds(SaturatingSubtract(row.system_ns, row.start_system_ns)), 2));
  const std::string indent(2 * std::min(level, kMostIndent), ' ');
  cells.push_back(KeepHead(indent + command, CommandColumns()));
  table.AddRow(std::move(cells));
}

/// Adds the shown children of `parent`, each followed by its own children. The depth of the
/// recursion is at most the number of shown rows.
void ProcessTable::AddRows(std::size_t parent, std::size_t level, Table& table) const {
  for (std::size_t i = 0; i < shown_; ++i) {
    if (parent_[order_[i]] != parent) continue;
    AddRow(order_[i], level, table);
    AddRows(order_[i], level + 1, table);
  }
}

/// The last row: the sum of all processes that are not shown. Sums of processes that `csink merge`
/// made count as the number of processes that they stand for.
void ProcessTable::AddRest(Table& table) const {
  double share = 0;
  double largest = 0;
  std::uint64_t samples = 0;
  std::uint64_t count = 0;
  std::uint64_t without = 0;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  for (std::size_t i = shown_; i < order_.size(); ++i) {
    const ProcessSummary& process = report_.processes[order_[i]];
    const ProcessRow& row = *process.row;
    share += process.events[0].share;
    // "None above": of a sum of processes it is not known how large its largest process is.
    if (row.processes == 1) largest = std::max(largest, process.events[0].share);
    AddTo(samples, process.events[0].samples);
    AddTo(count, row.processes);
    if (process.events[0].samples == 0) AddTo(without, row.processes);
    AddTo(user, SaturatingSubtract(row.user_ns, row.start_user_ns));
    AddTo(system, SaturatingSubtract(row.system_ns, row.start_system_ns));
  }
  std::string text = Count(count, "more process", "more processes");
  if (largest > 0) text += ", none above " + Percent(largest);
  if (without > 0) text += ", " + Grouped(without) + " without samples";
  std::vector<std::string> cells = {ShareText(share), Grouped(samples)};
  if (has_ranks_) cells.emplace_back();
  cells.emplace_back();
  cells.push_back(FixedText(Seconds(user), 2));
  cells.push_back(FixedText(Seconds(system), 2));
  cells.push_back(std::move(text));
  table.AddRow(std::move(cells));
}

std::string ProcessTable::Draw() {
  Choose();
  LinkParents();
  ShortenCommands();
  Table table;
  table.AddColumn("share", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  if (has_ranks_) table.AddColumn("rank", Align::kRight);
  table.AddColumn("pid", Align::kRight);
  table.AddColumn("user s", Align::kRight);
  table.AddColumn("sys s", Align::kRight);
  table.AddColumn("process", Align::kLeft);
  AddRows(kNone, 0, table);
  const bool rest = shown_ < order_.size();
  if (rest) AddRest(table);
  return "\n" + table.Draw(style_, rest);
}

}  // namespace

std::string WriteProcesses(const Report& report, const TextStyle& style) {
  const bool many = report.processes.size() > 1 ||
                    (report.processes.size() == 1 && report.processes[0].row->processes > 1);
  return many ? ProcessTable(report, style).Draw() : "";
}

}  // namespace csink::report

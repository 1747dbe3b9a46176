#include "symbolizer/report/report.h"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profil/model/merge.h"
#include "profil/statistics.h"

namespace csink::report {
namespace {

using symbolizer::Location;
using symbolizer::ModuleAnswer;
using symbolizer::ModuleRequest;
using symbolizer::NameSource;

constexpr char kAnonymousCode[] = "[code without a file]";

double Seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string BaseName(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string DisplayName(const Module& module) {
  if (module.is_unknown) return "[unknown]";
  if (module.is_anonymous && module.path.empty()) return "[anonymous]";
  if (module.is_vdso) return "[vdso]";
  return module.path.empty() ? "[unnamed]" : BaseName(module.path);
}

std::string Hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Asks once per module for all its offsets; answers by (module, offset).
class Names {
 public:
  Names(const Profile& profile, const Resolver& resolve);
  const Location& Of(const CodeAddress& address) const;
  const ModuleAnswer& Answer(std::uint32_t module) const { return answers_[module]; }
  /// A start routine's name; empty when unknown.
  std::string RoutineName(const CodeAddress& address) const;

 private:
  std::vector<std::vector<std::uint64_t>> offsets_;
  std::vector<ModuleAnswer> answers_;
  Location nothing_;
};

Names::Names(const Profile& profile, const Resolver& resolve)
    : offsets_(profile.modules.size()), answers_(profile.modules.size()) {
  const auto want = [&](const CodeAddress& address) {
    if (address.module < offsets_.size()) offsets_[address.module].push_back(address.offset);
  };
  for (const Place& place : profile.places) want(place.address);
  for (const ThreadRow& thread : profile.threads) want(thread.start_routine);
  for (const ShortThreads& threads : profile.short_threads) want(threads.start_routine);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    auto& offsets = offsets_[i];
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const Module& module = profile.modules[i];
    if (offsets.empty() || module.is_unknown) continue;
    ModuleRequest request;
    request.path = module.path;
    request.build_id = module.build_id;
    request.device_major = module.device_major;
    request.device_minor = module.device_minor;
    request.inode = module.inode;
    request.is_vdso = module.is_vdso;
    request.is_deleted = module.is_deleted;
    request.is_anonymous = module.is_anonymous;
    request.region_start = module.region_start;
    request.file_offsets = offsets;
    answers_[i] = resolve(request);
  }
}

const Location& Names::Of(const CodeAddress& address) const {
  if (address.module >= offsets_.size()) return nothing_;
  const auto& offsets = offsets_[address.module];
  const auto it = std::lower_bound(offsets.begin(), offsets.end(), address.offset);
  const auto index = static_cast<std::size_t>(it - offsets.begin());
  const auto& locations = answers_[address.module].locations;
  if (it == offsets.end() || *it != address.offset || index >= locations.size()) return nothing_;
  return locations[index];
}

std::string Names::RoutineName(const CodeAddress& address) const {
  return address.module == kNoModule ? "" : Of(address).function;
}

void Add(std::vector<Cell>& cells, const std::vector<EventCount>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cells[i].samples = SaturatingAdd(cells[i].samples, counts[i].samples);
    cells[i].weight = SaturatingAdd(cells[i].weight, counts[i].weight);
  }
}

/// Shares and intervals, from the sums.
void Finish(const Report& report, std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double all = static_cast<double>(report.profile.events[i].weight);
    cells[i].share = all > 0 ? std::min(1.0, static_cast<double>(cells[i].weight) / all) : 0;
    const Interval interval = WilsonInterval(cells[i].share, report.effective_samples[i]);
    cells[i].low = interval.low;
    cells[i].high = interval.high;
  }
}

/// Heavier first, by the first event that differs.
int CompareWeight(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].weight != b[i].weight) return a[i].weight > b[i].weight ? -1 : 1;
    if (a[i].samples != b[i].samples) return a[i].samples > b[i].samples ? -1 : 1;
  }
  return 0;
}

struct FunctionKey {
  std::uint32_t module;
  std::uint64_t vaddr;
  std::string name;
  bool operator==(const FunctionKey&) const = default;
};
struct FunctionKeyHash {
  std::size_t operator()(const FunctionKey& key) const noexcept {
    return std::hash<std::string>()(key.name) ^ (key.vaddr * 0x9e3779b97f4a7c15ull + key.module);
  }
};

/// A function while it is summed: its row and its lines.
struct Gathering {
  FunctionRow row;
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Cell>> lines;
};

FunctionRow NewRow(const Module& module, const Location& location, std::size_t events) {
  FunctionRow row;
  row.function = location.function.empty() ? DisplayName(module) : location.function;
  row.module = DisplayName(module);
  row.module_path = module.path;
  row.source = location.source;
  row.events.resize(events);
  return row;
}

std::vector<Gathering> GatherFunctions(const Profile& profile, const Names& names) {
  std::vector<Gathering> functions;
  std::unordered_map<FunctionKey, std::size_t, FunctionKeyHash> index;
  const std::size_t events = profile.events.size();
  for (const Place& place : profile.places) {
    const Location& location = names.Of(place.address);
    const Module& module = profile.modules[place.address.module];
    FunctionKey key{place.address.module, location.function_vaddr, location.function};
    // A JIT's code has no names and a row for each address would say nothing.
    const bool nameless = module.is_anonymous && location.source == NameSource::kNone;
    if (nameless) key = {kNoModule, 0, kAnonymousCode};
    const auto [it, is_new] = index.emplace(std::move(key), functions.size());
    if (is_new) {
      functions.push_back({NewRow(module, location, events), {}});
      if (nameless) functions.back().row.function = kAnonymousCode;
    }
    Gathering& function = functions[it->second];
    Add(function.row.events, place.counts);
    if (location.line == 0 || location.file.empty()) continue;
    auto& cells = function.lines[{location.file, location.line}];
    cells.resize(events);
    Add(cells, place.counts);
  }
  return functions;
}

void AddFunctions(Report& report, std::vector<Gathering> functions) {
  for (Gathering& function : functions) {
    const std::vector<Cell>* hottest = nullptr;
    for (auto& [where, cells] : function.lines) {
      if (!hottest || CompareWeight(cells, *hottest) < 0) {
        hottest = &cells;
        function.row.file = where.first;
        function.row.line = where.second;
      }
      Finish(report, cells);
      report.lines.push_back(
          {where.first, where.second, function.row.function, function.row.module, cells});
    }
    Finish(report, function.row.events);
    for (const DerivedColumn& derived : report.derived) {
      const double above = static_cast<double>(function.row.events[derived.numerator].weight);
      const double below = static_cast<double>(function.row.events[derived.denominator].weight);
      function.row.derived.push_back(below > 0 ? Ratio(above / below * derived.scale)
                                               : std::nullopt);
    }
    report.functions.push_back(std::move(function.row));
  }
  std::stable_sort(report.functions.begin(), report.functions.end(),
                   [](const FunctionRow& a, const FunctionRow& b) {
                     if (const int order = CompareWeight(a.events, b.events)) return order < 0;
                     return std::tie(a.function, a.module_path) <
                            std::tie(b.function, b.module_path);
                   });
  std::stable_sort(
      report.lines.begin(), report.lines.end(), [](const LineRow& a, const LineRow& b) {
        if (const int order = CompareWeight(a.events, b.events)) return order < 0;
        return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
      });
}

std::vector<DerivedColumn> DeriveColumns(const Profile& profile) {
  using spool::EventKind;
  const auto find = [&](EventKind kind) {
    std::size_t i = 0;
    while (i < profile.events.size() && profile.events[i].kind != kind) ++i;
    return i;
  };
  const std::size_t none = profile.events.size();
  const std::size_t instructions = find(EventKind::kInstructions);
  std::vector<DerivedColumn> columns;
  const auto add = [&](const char* key, const char* title, std::size_t above, std::size_t below,
                       double scale) {
    if (above != none && below != none) columns.push_back({key, title, above, below, scale});
  };
  add("ipc", "IPC", instructions, find(EventKind::kCycles), 1);
  add("cache_misses_per_1000_instructions", "miss/kinst", find(EventKind::kCacheMisses),
      instructions, 1000);
  add("branch_misses_per_1000_instructions", "brmiss/kinst", find(EventKind::kBranchMisses),
      instructions, 1000);
  return columns;
}

std::string EndText(const ProcessRow& process) {
  if (process.state == ProcessState::kLive) return "running";
  if (process.state == ProcessState::kKilled) return "killed";
  switch (process.end) {
    case spool::End::kExit:
    case spool::End::kQuickExit:
      return "exit " + std::to_string(process.end_detail);
    case spool::End::kAbort:
      return "abort";
    case spool::End::kSignal: {
      const char* name =
          process.end_detail < 65 ? sigabbrev_np(static_cast<int>(process.end_detail)) : nullptr;
      return "signal " + std::to_string(process.end_detail) +
             (name ? std::string(" (SIG") + name + ")" : "");
    }
    case spool::End::kExec:
      return "exec";
    case spool::End::kUnknown:
      break;
  }
  return "unknown";
}

/// The process that a reader takes for "the program": the first to start; of its
/// generations the last.
const ProcessRow* MainProcess(const Profile& profile) {
  const ProcessRow* main = nullptr;
  for (const ProcessRow& process : profile.processes) {
    if (!main || (process.pid == main->pid && process.start_ticks == main->start_ticks &&
                  process.host == main->host)) {
      main = &process;
    }
  }
  return main;
}

void DescribeProgram(Report& report) {
  const Profile& profile = report.profile;
  std::uint64_t start = ~0ull;
  std::uint64_t end = 0;
  bool ring = false;
  bool timer = false;
  for (const ProcessRow& process : profile.processes) {
    start = std::min(start, process.start_monotonic_ns);
    end = std::max(end, process.update_monotonic_ns);
    ring = ring || process.source == spool::Source::kRing;
    timer = timer || process.source == spool::Source::kTimer;
    if (process.state == ProcessState::kLive) {
      report.state = ProcessState::kLive;
    } else if (process.state == ProcessState::kKilled && report.state != ProcessState::kLive) {
      report.state = ProcessState::kKilled;
    }
  }
  report.source = ring && timer ? "ring and timer" : ring ? "ring" : timer ? "timer" : "unknown";
  if (end > start) report.wall_seconds = Seconds(end - start);
  const CpuSeconds cpu = TotalCpu(profile);
  report.user_seconds = cpu.user;
  report.system_seconds = cpu.system;
  report.system_sampled = SystemIsSampled(profile);
  if (const ProcessRow* main = MainProcess(profile)) {
    report.command = main->command.empty() ? main->program : main->command;
    report.pid = main->pid;
    report.host = main->host;
    report.end = EndText(*main);
    report.source_reason = main->source_reason;
  }
  if (profile.tree.known) {
    report.command = profile.tree.command;
    report.wall_seconds = Seconds(profile.tree.wall_ns);
    report.user_seconds = Seconds(profile.tree.user_ns);
    report.system_seconds = Seconds(profile.tree.system_ns);
  }
}

void AddProcessesAndThreads(Report& report, const Names& names) {
  const std::size_t events = report.profile.events.size();
  for (const ProcessRow& process : report.profile.processes) {
    ProcessSummary summary{&process, std::vector<Cell>(events)};
    Add(summary.events, process.counts);
    Finish(report, summary.events);
    report.processes.push_back(std::move(summary));
  }
  for (const ThreadRow& thread : report.profile.threads) {
    const bool sampled = std::any_of(thread.counts.begin(), thread.counts.end(),
                                     [](const EventCount& count) { return count.samples > 0; });
    if (!sampled) continue;
    ThreadSummary summary{&thread, report.profile.processes[thread.process].pid,
                          names.RoutineName(thread.start_routine), std::vector<Cell>(events)};
    Add(summary.events, thread.counts);
    Finish(report, summary.events);
    report.threads.push_back(std::move(summary));
  }
  std::stable_sort(report.threads.begin(), report.threads.end(),
                   [](const ThreadSummary& a, const ThreadSummary& b) {
                     if (const int order = CompareWeight(a.events, b.events)) return order < 0;
                     return std::tie(a.pid, a.row->tid) < std::tie(b.pid, b.row->tid);
                   });
}

void AddModuleProblems(Report& report, const Names& names) {
  const Profile& profile = report.profile;
  std::vector<double> weight(profile.modules.size());
  for (const Place& place : profile.places) {
    weight[place.address.module] += static_cast<double>(place.counts[0].weight);
  }
  const double all = std::max(1.0, static_cast<double>(profile.events[0].weight));
  double nameless = 0;
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    const auto& answer = names.Answer(static_cast<std::uint32_t>(i));
    if (module.is_unknown || module.is_anonymous) {
      nameless += weight[i];
      continue;
    }
    if (answer.locations.empty() || module.is_vdso) continue;
    if (answer.has_symbols && answer.problem.empty()) continue;
    report.verdict.modules_without_symbols.push_back(
        {DisplayName(module), Hex(module.build_id), answer.problem, weight[i] / all});
  }
  auto& problems = report.verdict.modules_without_symbols;
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const ModuleProblem& a, const ModuleProblem& b) { return a.share > b.share; });
  if (nameless / all >= 0.005) {
    char text[96];
    std::snprintf(text, sizeof text,
                  "%.1f%% in code without a file (JIT, or text moved to huge pages)",
                  100 * nameless / all);
    report.verdict.notes.push_back(text);
  }
}

void AddShortThreads(Report& report, const Names& names) {
  auto& rows = report.verdict.short_threads;
  for (const ShortThreads& threads : report.profile.short_threads) {
    std::string name = names.RoutineName(threads.start_routine);
    if (name.empty()) name = "unknown";
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const ShortThreadsByRoutine& row) {
      return row.start_routine == name;
    });
    if (it == rows.end()) {
      rows.push_back({name, threads.threads, Seconds(threads.cpu_ns)});
    } else {
      it->threads = SaturatingAdd(it->threads, threads.threads);
      it->cpu_seconds += Seconds(threads.cpu_ns);
    }
  }
  std::stable_sort(
      rows.begin(), rows.end(), [](const ShortThreadsByRoutine& a, const ShortThreadsByRoutine& b) {
        return std::tie(b.cpu_seconds, a.start_routine) < std::tie(a.cpu_seconds, b.start_routine);
      });
}

}  // namespace

Report BuildReport(Profile profile, const Resolver& resolve) {
  Report report;
  report.profile = std::move(profile);
  const Names names(report.profile, resolve);
  for (const EventTotals& event : report.profile.events) {
    report.effective_samples.push_back(
        EffectiveSamples(static_cast<double>(event.weight), event.weight_squared, event.samples));
  }
  report.derived = DeriveColumns(report.profile);
  DescribeProgram(report);
  AddFunctions(report, GatherFunctions(report.profile, names));
  AddProcessesAndThreads(report, names);
  report.verdict = Judge(report.profile);
  if (!report.profile.events.empty()) AddModuleProblems(report, names);
  AddShortThreads(report, names);
  return report;
}

}  // namespace csink::report

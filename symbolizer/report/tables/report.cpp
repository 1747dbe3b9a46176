#include "symbolizer/report/tables/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/util/hex.h"
#include "profil/reading/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/critical.h"
#include "symbolizer/report/tables/critical_log.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/openmp.h"
#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/tables/place_search.h"
#include "symbolizer/report/tables/rank_waits.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/tables/wait_places.h"
#include "symbolizer/report/tables/wait_verdict.h"
#include "symbolizer/report/verdict/remarks.h"
#include "symbolizer/report/verdict/runtimes.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: builds a report. The order in BuildReport matters: names first, then the effective samples
/// and the derived columns that cells need, then rows of functions, to which all other rows refer
/// by FunctionRow::id, then the verdict, then the notes that the verdict gets from names.

namespace csink::report {
namespace {

/// The weight of the first event's samples in code without file and name.
struct Nameless {
  double weight = 0;
  /// The part in anonymous memory, by index into Profile::processes.
  std::map<std::size_t, double> by_process;
};

Nameless NamelessWeight(const Profile& profile, const Names& names) {
  Nameless nameless;
  for (const Place& place : profile.places) {
    const Module& module = profile.modules[place.address.module];
    if (!module.is_unknown && !module.is_anonymous) continue;
    // Code that a JIT's map or jitdump file names is not nameless.
    if (names.Of(place.address).source == symbolizer::NameSource::kPerfMap) continue;
    const auto weight = static_cast<double>(place.counts[0].weight);
    nameless.weight += weight;
    if (module.is_anonymous) nameless.by_process[module.process] += weight;
  }
  return nameless;
}

/// How the code without a file gets names. The programs of the processes that have such code are
/// tried first, the largest part first. A program may also load a runtime as a library.
std::string AdviceForNameless(const Profile& profile, const Nameless& nameless) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const auto& [process, weight] : nameless.by_process) {
    if (process < profile.processes.size()) order.emplace_back(-weight, process);
  }
  if (order.empty()) return "";
  std::sort(order.begin(), order.end());
  std::vector<RuntimeFile> files;
  for (const auto& [weight, process] : order) {
    const ProcessRow& row = profile.processes[process];
    files.push_back({BaseName(row.program), row.command});
  }
  std::string command;
  for (const RuntimeFile& file : files) command += file.command + " ";
  for (const Module& module : profile.modules) {
    if (!module.is_anonymous && !module.is_unknown) {
      files.push_back({BaseName(module.path), command});
    }
  }
  return JitAdvice(files);
}

/// Notes an interpreter that has most of the time, unless its functions have names.
void AddInterpreterNote(Report& report) {
  if (report.profile.python.named != 0) return;
  std::map<std::string, double> shares;
  for (const ModuleRow& row : report.modules) {
    if (row.module == kJitModule) return;
    shares[row.module] += row.events[0].share;
  }
  std::string commands;
  for (const ProcessRow& row : report.profile.processes) commands += row.command + "\n";
  for (const auto& [module, share] : shares) {
    if (share < kInterpreterDominates) continue;
    const std::string advice = InterpreterAdvice({module, commands});
    if (advice.empty()) continue;
    report.verdict.notes.push_back(Percent(share) + " in the interpreter " + module + ": " +
                                   advice);
  }
}

/// Why existing perf maps or jitdump files were not used, each reason once. Such a problem names
/// the file, so it contains a '/'; a process without a map has a problem without a path, which is
/// usual and not reported.
std::set<std::string> MapProblems(const Profile& profile, const Names& names) {
  std::set<std::string> problems;
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const auto& answer = names.Answer(static_cast<std::uint32_t>(i));
    if (profile.modules[i].is_anonymous && answer.problem.find('/') != std::string::npos) {
      problems.insert(answer.problem);
    }
  }
  return problems;
}

/// Lists modules without names for the verdict, by their share of the first event, and notes the
/// share of code without a file.
void AddModuleProblems(Report& report, const Names& names) {
  const Profile& profile = report.profile;
  std::vector<double> weight(profile.modules.size());
  std::vector<double> unnamed(profile.modules.size());
  // Names are searched only for modules that will be listed.
  const auto is_named = [&](std::uint32_t module) {
    const auto& answer = names.Answer(module);
    return answer.has_symbols && answer.problem.empty();
  };
  for (const Place& place : profile.places) {
    const auto of_place = static_cast<double>(place.counts[0].weight);
    weight[place.address.module] += of_place;
    if (is_named(place.address.module)) continue;
    const auto source = names.Of(place.address).source;
    if (source == symbolizer::NameSource::kFde || source == symbolizer::NameSource::kNone) {
      unnamed[place.address.module] += of_place;
    }
  }
  const double all = std::max(1.0, static_cast<double>(profile.events[0].weight));
  const Nameless nameless = NamelessWeight(profile, names);
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    const auto& answer = names.Answer(static_cast<std::uint32_t>(i));
    // Code without a file is summed up in one note instead: it has no debug package that could be
    // installed.
    if (module.is_unknown || module.is_anonymous) continue;
    // Nothing was sampled there, or the module is the kernel's vdso, which is no file.
    if (answer.locations.empty() || module.is_vdso) continue;
    if (is_named(static_cast<std::uint32_t>(i))) continue;
    report.verdict.modules_without_symbols.push_back({DisplayName(module), ToHex(module.build_id),
                                                      answer.problem, weight[i] / all,
                                                      unnamed[i] / all, module.path});
  }
  auto& problems = report.verdict.modules_without_symbols;
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const ModuleProblem& a, const ModuleProblem& b) { return a.share > b.share; });
  // Smaller parts are not worth a line.
  if (nameless.weight / all >= 0.005) {
    std::string text = Percent(nameless.weight / all) + " in code without a file";
    if (nameless.weight / all >= kJitDominates) {
      const std::string advice = AdviceForNameless(profile, nameless);
      if (!advice.empty()) text += "; " + advice;
    }
    report.verdict.notes.push_back(std::move(text));
    for (const std::string& problem : MapProblems(profile, names)) {
      report.verdict.notes.push_back(problem);
    }
  }
  AddInterpreterNote(report);
}

/// Sums up the threads that ended before a sample was due, by the name of their start routine.
/// Several routines of one name, or without a name, are one row. Most CPU time first.
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
      AddTo(it->threads, threads.threads);
      it->cpu_seconds += Seconds(threads.cpu_ns);
    }
  }
  std::stable_sort(
      rows.begin(), rows.end(), [](const ShortThreadsByRoutine& a, const ShortThreadsByRoutine& b) {
        return std::tie(b.cpu_seconds, a.start_routine) < std::tie(a.cpu_seconds, b.start_routine);
      });
}

/// Names the places of the time line by the functions of the same places in the tables.
void NamePlaceTimes(Report& report, const std::vector<std::uint32_t>& function_of_place) {
  for (const PlaceTime& time : report.profile.place_times) {
    const std::size_t place = PlaceOf(report.profile.places, time.address);
    report.function_of_place_time.push_back(place == kNoPlace ? kNoFunction
                                                              : function_of_place[place]);
  }
}

/// What holds the run up, if that was recorded to the end of the run.
void AddCritical(Report& report, const std::vector<std::uint32_t>& function_of_place,
                 const CallNodes& call_nodes) {
  const TimedProfile& timed = report.profile.timed;
  if (timed.counts.recorded == 0 || !report.profile.only_phase.empty()) return;
  const std::uint64_t left_out = timed.counts.moments_left_out + timed.counts.samples_left_out +
                                 timed.counts.switches_left_out;
  if (left_out != 0) {
    report.verdict.notes.push_back("critical path: not known, because " + Grouped(left_out) +
                                   " records of waits, samples and switches found no room");
    return;
  }
  report.critical = CriticalOf(report, CriticalLogOf(report, function_of_place, call_nodes));
}

}  // namespace

Report BuildReport(Profile profile, const Resolver& resolve, const BuildOptions& options) {
  Report report;
  report.profile = std::move(profile);
  Names names(report.profile, resolve, options);
  for (const EventTotals& event : report.profile.events) {
    report.effective_samples.push_back(
        EffectiveSamples(static_cast<double>(event.weight), event.weight_squared, event.samples));
  }
  report.derived = DeriveColumns(report.profile);
  report.verdict = Judge(report.profile);
  DescribeProgram(report);
  const std::vector<std::uint32_t> function_of_place = AddFunctions(report, names);
  NamePlaceTimes(report, function_of_place);
  AddModules(report);
  if (options.inlines) AddInlines(report, names, function_of_place);
  CallNodes call_nodes = AddCallers(report, names, function_of_place);
  AddProcesses(report);
  AddThreads(report, names, function_of_place);
  AddPhases(report, function_of_place);
  // Neither CPU time nor energy is measured during pauses.
  double cpu_seconds = report.verdict.ledger.cpu_seconds;
  for (const ProcessRow& row : report.profile.processes) cpu_seconds -= Seconds(row.paused_ns);
  report.energy = ShareEnergy(report.profile, std::max(0.0, cpu_seconds));
  // In a profile of one mark, CPU time and wall time are still those of the whole run.
  if (report.profile.only_phase.empty()) {
    report.verdict.idle_seconds =
        std::max(0.0, report.wall_seconds - report.verdict.ledger.cpu_seconds);
  }
  if (!report.profile.events.empty()) AddModuleProblems(report, names);
  if (std::string late = LateInterruptsLine(report.profile, report.system_sampled); !late.empty()) {
    report.verdict.notes.push_back(std::move(late));
  }
  AddShortThreads(report, names);
  AddTopdownNotes(report);
  AddRanks(report, function_of_place);
  const std::vector<WaitPlace> wait_places = PlacesOfWaits(report.profile, names);
  report.waits = MakeWaits(report, names, wait_places);
  report.ranks.waits = MakeRankWaits(report.profile, wait_places);
  for (std::string& line : WaitVerdict(report.profile)) {
    report.verdict.notes.push_back(std::move(line));
  }
  report.openmp = MakeOpenMp(report, names, resolve);
  AddCritical(report, function_of_place, call_nodes);
  if (options.keep_addresses) {
    report.addresses = std::move(names).Keep(report.profile);
    report.addresses.function_of_place = function_of_place;
    report.addresses.node_of_place = std::move(call_nodes.of_place);
    report.addresses.node_of_caller = std::move(call_nodes.of_caller);
  }
  return report;
}

}  // namespace csink::report

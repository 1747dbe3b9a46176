#include "symbolizer/report/report.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "profil/model/saturating.h"
#include "profil/statistics.h"
#include "symbolizer/report/cells.h"
#include "symbolizer/report/function_rows.h"
#include "symbolizer/report/names.h"
#include "symbolizer/report/numbers.h"
#include "symbolizer/report/program.h"

namespace csink::report {
namespace {

std::string Hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

void AddProcessesAndThreads(Report& report, const Names& names) {
  for (const ProcessRow& process : report.profile.processes) {
    report.processes.push_back({&process, CellsOf(report, process.counts)});
  }
  for (const ThreadRow& thread : report.profile.threads) {
    const bool sampled = std::any_of(thread.counts.begin(), thread.counts.end(),
                                     [](const EventCount& count) { return count.samples > 0; });
    if (!sampled) continue;
    report.threads.push_back({&thread, report.profile.processes[thread.process].pid,
                              names.RoutineName(thread.start_routine),
                              CellsOf(report, thread.counts)});
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
      AddTo(it->threads, threads.threads);
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
  AddFunctions(report, names);
  AddProcessesAndThreads(report, names);
  report.verdict = Judge(report.profile);
  if (!report.profile.events.empty()) AddModuleProblems(report, names);
  AddShortThreads(report, names);
  return report;
}

}  // namespace csink::report

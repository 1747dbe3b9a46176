#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/parts.h"

/// File: sums places by process, thread, name of thread and mark. The hottest functions of each
/// thread, name and mark come from one pass over the places, with sums by (group, function).

namespace csink::report {
namespace {

/// Sums samples by (group, function), and finds the functions with most samples of each group.
class FunctionsOfGroups {
 public:
  FunctionsOfGroups(const Report& report, std::size_t groups)
      : report_(report), events_(report.profile.events.size()), runs_(groups) {}

  void Add(std::size_t group, std::uint32_t function, const std::vector<EventCount>& counts) {
    // Places are sorted by address, so that the places of a function in a group are nearly always
    // one run. A table of (group, function) would be searched for each place.
    std::vector<Run>& runs = runs_[group];
    if (runs.empty() || runs.back().function != function) {
      runs.push_back({function, cells_.size()});
      cells_.resize(cells_.size() + events_);
    }
    for (std::size_t e = 0; e < events_; ++e) AddTo(cells_[runs.back().first + e], counts[e]);
  }

  /// The functions with most samples for each group. Call it once.
  std::vector<std::vector<NamedCells>> Top() {
    std::vector<const FunctionRow*> row_of(report_.functions.size());
    for (const FunctionRow& row : report_.functions) row_of[row.id] = &row;
    std::vector<std::vector<NamedCells>> tops(runs_.size());
    for (std::size_t g = 0; g < runs_.size(); ++g) {
      std::vector<Run>& runs = runs_[g];
      AddUpRuns(runs);
      const auto is_before = [&](const Run& a, const Run& b) {
        if (const int order = CompareWeight(CellsOf(a), CellsOf(b))) return order < 0;
        const FunctionRow& row_a = *row_of[a.function];
        const FunctionRow& row_b = *row_of[b.function];
        return std::tie(row_a.function, row_a.module, row_a.id) <
               std::tie(row_b.function, row_b.module, row_b.id);
      };
      // Names are copied and cells are finished only for the rows that remain.
      const auto end =
          runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), kTopOfGroup));
      std::partial_sort(runs.begin(), end, runs.end(), is_before);
      for (auto run = runs.begin(); run != end; ++run) {
        const FunctionRow& row = *row_of[run->function];
        const std::span<const Cell> cells = CellsOf(*run);
        tops[g].push_back({row.function, row.module, {cells.begin(), cells.end()}});
        FinishCells(report_, tops[g].back().events);
      }
    }
    return tops;
  }

 private:
  /// The samples of neighbouring places of one function in one group.
  struct Run {
    std::uint32_t function;
    std::size_t first;  ///< Of its cells in cells_, one for each event
  };
  std::span<const Cell> CellsOf(const Run& run) const {
    return std::span(cells_).subspan(run.first, events_);
  }
  /// Leaves one run of each function, with the samples of all.
  void AddUpRuns(std::vector<Run>& runs) {
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.function < b.function; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i == 0 || runs[i].function != runs[kept - 1].function) {
        runs[kept++] = runs[i];
        continue;
      }
      for (std::size_t e = 0; e < events_; ++e) {
        AddTo(cells_[runs[kept - 1].first + e], cells_[runs[i].first + e]);
      }
    }
    runs.resize(kept);
  }

  const Report& report_;
  std::size_t events_;
  std::vector<std::vector<Run>> runs_;  ///< By group
  std::vector<Cell> cells_;
};

/// Whether any event has a sample.
bool HasSamples(const std::vector<EventCount>& counts) {
  return std::any_of(counts.begin(), counts.end(),
                     [](const EventCount& count) { return count.samples > 0; });
}

/// Sums the threads with samples by name. The sum of threads without records has no name and is
/// called "(others)".
void GroupThreadsByName(Report& report) {
  std::map<std::string, std::size_t> index;
  auto& groups = report.thread_groups;
  for (std::size_t i = 0; i < report.threads.size(); ++i) {
    const ThreadRow& row = *report.threads[i].row;
    const std::string name = row.is_merged && row.name.empty() ? "(others)" : row.name;
    const auto [it, is_new] = index.emplace(name, groups.size());
    if (is_new) {
      groups.emplace_back();
      groups.back().name = name;
      groups.back().events.resize(report.profile.events.size());
    }
    ThreadGroup& group = groups[it->second];
    group.threads.push_back(i);
    group.thread_count += row.LeastThreads();
    AddTo(group.cpu_ns, row.cpu_ns);
    AddTo(group.wall, row.wall);
    AddCounts(group.events, row.counts);
  }
  for (ThreadGroup& group : groups) FinishCells(report, group.events);
}

/// Divides the places by thread and by name of thread. Places without a thread (merged files) are
/// left out.
void AddFunctionsOfThreads(Report& report, const std::vector<std::uint32_t>& function_of_place) {
  std::unordered_map<const ThreadRow*, std::size_t> summary_of;
  for (std::size_t i = 0; i < report.threads.size(); ++i) summary_of[report.threads[i].row] = i;
  std::vector<std::size_t> group_of(report.threads.size());
  for (std::size_t g = 0; g < report.thread_groups.size(); ++g) {
    for (const std::size_t i : report.thread_groups[g].threads) group_of[i] = g;
  }
  FunctionsOfGroups of_threads(report, report.threads.size());
  FunctionsOfGroups of_names(report, report.thread_groups.size());
  const Profile& profile = report.profile;
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    if (place.thread >= profile.threads.size()) continue;
    const auto thread = summary_of.find(&profile.threads[place.thread]);
    if (thread == summary_of.end()) continue;
    of_threads.Add(thread->second, function_of_place[i], place.counts);
    of_names.Add(group_of[thread->second], function_of_place[i], place.counts);
  }
  auto tops = of_threads.Top();
  for (std::size_t i = 0; i < tops.size(); ++i) report.threads[i].functions = std::move(tops[i]);
  tops = of_names.Top();
  for (std::size_t i = 0; i < tops.size(); ++i) {
    report.thread_groups[i].functions = std::move(tops[i]);
  }
}

}  // namespace

void AddProcesses(Report& report) {
  for (const ProcessRow& process : report.profile.processes) {
    report.processes.push_back({&process, CellsOf(report, process.counts)});
  }
}

void AddThreads(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place) {
  for (const ThreadRow& thread : report.profile.threads) {
    if (!HasSamples(thread.counts)) continue;
    report.threads.push_back({&thread,
                              report.profile.processes[thread.process].pid,
                              names.RoutineName(thread.start_routine),
                              CellsOf(report, thread.counts),
                              {}});
  }
  std::stable_sort(report.threads.begin(), report.threads.end(),
                   [](const ThreadSummary& a, const ThreadSummary& b) {
                     if (const int order = CompareWeight(a.events, b.events)) return order < 0;
                     return std::tie(a.pid, a.row->tid) < std::tie(b.pid, b.row->tid);
                   });
  GroupThreadsByName(report);
  std::stable_sort(report.thread_groups.begin(), report.thread_groups.end(),
                   [](const ThreadGroup& a, const ThreadGroup& b) {
                     return CompareWeight(a.events, b.events) < 0;
                   });
  const auto& places = report.profile.places;
  // Profiles keep threads apart only on demand (MergeOptions::keep_threads).
  const bool kept = std::any_of(places.begin(), places.end(),
                                [](const Place& place) { return place.thread != kNoThread; });
  if (kept) AddFunctionsOfThreads(report, function_of_place);
}

void AddPhases(Report& report, const std::vector<std::uint32_t>& function_of_place) {
  const Profile& profile = report.profile;
  if (profile.phases.empty()) return;
  FunctionsOfGroups functions(report, profile.phases.size());
  std::vector<std::vector<EventCount>> counts(profile.phases.size(),
                                              std::vector<EventCount>(profile.events.size()));
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    functions.Add(place.phase, function_of_place[i], place.counts);
    for (std::size_t e = 0; e < place.counts.size(); ++e) {
      AddTo(counts[place.phase][e], place.counts[e]);
    }
  }
  auto tops = functions.Top();
  for (std::size_t i = 0; i < profile.phases.size(); ++i) {
    report.phases.push_back({&profile.phases[i], CellsOf(report, counts[i]), std::move(tops[i])});
  }
}

}  // namespace csink::report

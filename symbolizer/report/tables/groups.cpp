#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profil/model/saturating.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/parts.h"

/// File: sums places by process, thread, name of thread and mark. The hottest functions of each
/// thread, name and mark come from one pass over the places, with sums by (group, function).

namespace csink::report {
namespace {

/// Sums samples by (group, function), and finds the functions with most samples of each group. Keys
/// have the group in their upper half; groups and functions are numbered below 2^32.
class FunctionsOfGroups {
 public:
  FunctionsOfGroups(const Report& report, std::size_t groups) : report_(report), groups_(groups) {}

  void Add(std::size_t group, std::uint32_t function, const std::vector<EventCount>& counts) {
    auto& cells = sums_[std::uint64_t{group} << 32 | function];
    cells.resize(report_.profile.events.size());
    AddCounts(cells, counts);
  }

  /// The functions with most samples for each group. Call it once.
  std::vector<std::vector<NamedCells>> Top() {
    std::vector<const FunctionRow*> row_of(report_.functions.size());
    for (const FunctionRow& row : report_.functions) row_of[row.id] = &row;
    std::vector<std::vector<Sum>> sums(groups_);
    for (auto& [key, cells] : sums_) sums[key >> 32].push_back({row_of[key & 0xffffffff], &cells});
    std::vector<std::vector<NamedCells>> tops(groups_);
    for (std::size_t g = 0; g < groups_; ++g) {
      // Names are copied and cells are finished only for the rows that remain.
      const auto end =
          sums[g].begin() + static_cast<std::ptrdiff_t>(std::min(sums[g].size(), kTopOfGroup));
      std::partial_sort(sums[g].begin(), end, sums[g].end(), IsBefore);
      for (auto sum = sums[g].begin(); sum != end; ++sum) {
        tops[g].push_back({sum->row->function, sum->row->module, std::move(*sum->cells)});
        FinishCells(report_, tops[g].back().events);
      }
    }
    return tops;
  }

 private:
  /// The samples of one function in one group.
  struct Sum {
    const FunctionRow* row;
    std::vector<Cell>* cells;
  };
  /// The order by weight, then by name. Functions of one name and module have the order of their
  /// numbers.
  static bool IsBefore(const Sum& a, const Sum& b) {
    if (const int order = CompareWeight(*a.cells, *b.cells)) return order < 0;
    return std::tie(a.row->function, a.row->module, a.row->id) <
           std::tie(b.row->function, b.row->module, b.row->id);
  }

  const Report& report_;
  std::size_t groups_;
  std::unordered_map<std::uint64_t, std::vector<Cell>> sums_;
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

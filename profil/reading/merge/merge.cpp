#include "profil/reading/merge/merge.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_callers.h"
#include "profil/reading/merge/merge_chain_ends.h"
#include "profil/reading/merge/merge_columns.h"
#include "profil/reading/merge/merge_counters.h"
#include "profil/reading/merge/merge_marks.h"
#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/merge/merge_processes.h"
#include "profil/reading/merge/merge_python.h"
#include "profil/reading/merge/merge_ranks.h"
#include "profil/reading/merge/merge_threads.h"
#include "profil/reading/merge/merge_time.h"
#include "profil/reading/merge/merge_timed.h"
#include "profil/reading/merge/merge_waits.h"
#include "profil/reading/model/flat_index.h"
#include "profil/reading/model/openmp_runtime.h"
#include "profil/reading/model/saturating.h"

/// File: the samples of a merge, and the order of its steps. Each spool has its own numbering of
/// events, regions, threads, chains and phases. One table for each of these (merge_columns.h,
/// merge_modules.h, ...) adds the spool's records and returns the new number by the old one, so
/// that a sample is added by table look-ups and one hash of its place.

namespace csink {
namespace {

/// Different programs, with their reasons, in a profile; further ones share a row.
constexpr std::size_t kMaxNotFollowed = 1024;

/// The places of a merge. Two samples are in the same place if all members but `counts` are equal.
class PlaceTable {
 public:
  /// The counts of a place, added if it is new. Valid until the next call.
  std::vector<EventCount>& CountsOf(const CodeAddress& address, const CodeAddress& native,
                                    std::uint32_t caller, std::uint32_t phase,
                                    std::uint32_t thread) {
    std::size_t hash = HashOf(address, caller, std::uint64_t{phase} << 32 | thread);
    if (native.module != kNoModule) hash = Mix(hash, native.offset);
    const std::uint32_t at = index_.FindOrAdd(hash, rows_.size(), [&](std::uint32_t i) {
      const Place& row = rows_[i];
      return row.address.offset == address.offset && row.address.module == address.module &&
             row.caller == caller && row.phase == phase && row.thread == thread &&
             row.native.module == native.module && row.native.offset == native.offset;
    });
    if (at == rows_.size()) {
      rows_.push_back({.address = address,
                       .caller = caller,
                       .phase = phase,
                       .thread = thread,
                       .counts = {},
                       .native = native});
    }
    return rows_[at].counts;
  }
  /// The places, sorted. Call this last.
  std::vector<Place> Take() {
    const auto is_before = [](const Place& a, const Place& b) {
      return std::tie(a.address.module, a.address.offset, a.caller, a.phase, a.thread,
                      a.native.module, a.native.offset) <
             std::tie(b.address.module, b.address.offset, b.caller, b.phase, b.thread,
                      b.native.module, b.native.offset);
    };
    // The samples of a single spool may be sorted already.
    if (!std::is_sorted(rows_.begin(), rows_.end(), is_before)) {
      std::sort(rows_.begin(), rows_.end(), is_before);
    }
    return std::move(rows_);
  }

 private:
  std::vector<Place> rows_;
  FlatIndex index_;
};

/// Programs of the tree that have no spool, by path and reason.
class NotFollowedTable {
 public:
  void Add(std::string program, std::string why, std::uint64_t times) {
    // A known row still gets its own count when the table is full.
    if (index_.size() >= kMaxNotFollowed && index_.count({program, why}) == 0) {
      program = "more programs";
      why = "could not be followed";
    }
    const auto [it, is_new] = index_.emplace(std::make_pair(program, why), rows_.size());
    if (is_new) rows_.push_back({std::move(program), std::move(why), 0});
    AddTo(rows_[it->second].times, times);
  }
  std::vector<NotFollowedRow> Take() noexcept { return std::move(rows_); }

 private:
  std::vector<NotFollowedRow> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

/// The new numbers of one spool, by the spool's own.
struct Placement {
  const ColumnMap& columns;
  const SpoolProcesses& processes;
  const SpoolPython& python;
  const std::vector<std::size_t>& threads;    ///< Empty, or kNobody: not kept
  const std::vector<std::uint32_t>& callers;  ///< Empty: not kept
  const std::vector<std::uint32_t>& phases;   ///< Empty: not kept
  bool keep_threads;                          ///< Places are split by thread
};

/// Whether the processes of a spool mapped a runtime of OpenMP.
bool HasOpenMp(const spool::Spool& spool) {
  return std::any_of(spool.regions.begin(), spool.regions.end(),
                     [](const spool::Region& region) { return IsOpenMpRuntime(region.path); });
}

}  // namespace

/// The tables of the profile under construction. They hold each other's indices, so that they are
/// filled in the order of ProfileMerger::Add.
struct ProfileMerger::State {
  explicit State(const MergeOptions& asked)
      : options(asked),
        processes(asked.max_processes),
        threads(asked.max_threads),
        callers(asked.max_callers),
        waits(asked.max_callers) {}

  void AddHits(const spool::Spool& spool, SpoolCode& code, const Placement& at);
  void AddWaits(const spool::Spool& spool, SpoolCode& code, const Placement& at);

  /// Of the ProfileMerger, which outlives this object.
  const MergeOptions& options;
  ColumnTable columns;
  ProcessTable processes;
  ModuleTable modules;
  ThreadTable threads;
  CallerTree callers;
  PythonTable python;
  ChainEndTable chain_ends;
  PhaseTable phases;
  PlaceTable places;
  DeviceCounterTable counters;
  TimeTable times;
  TimedTable timed;
  WaitTable waits;
  RankTable ranks;
  NotFollowedTable not_followed;
  std::vector<TreeFacts> tree_facts;
  std::vector<std::string> problems;
};

void ProfileMerger::State::AddHits(const spool::Spool& spool, SpoolCode& code,
                                   const Placement& at) {
  // A merged file has separate records with the counts of its processes and threads.
  const bool merged = !spool.processes.empty();
  // `all` and `kept`: weights of all samples and of those of the wanted mark, by event of the
  // spool.
  const bool filtered = !options.only_phase.empty();
  std::vector<double> all(at.columns.size());
  std::vector<double> kept(at.columns.size());
  for (const spool::Hit& hit : spool.hits) {
    const std::uint32_t phase = at.phases.empty() ? 0 : at.phases[hit.phase];
    const bool wanted = !filtered || (phase != 0 && phases[phase].name == options.only_phase);
    const auto counts = spool.CountsOf(hit);
    if (filtered) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        all[i] += static_cast<double>(counts[i].weight);
        if (wanted) kept[i] += static_cast<double>(counts[i].weight);
      }
      if (!wanted) continue;
    }
    const bool has_thread =
        hit.thread < at.threads.size() && at.threads[hit.thread] != ThreadTable::kNobody;
    const SpoolPython::Sample sample = at.python.Of(hit.region, hit.pc, hit.chain, code);
    std::uint32_t caller = at.callers.empty() ? 0 : at.callers[sample.chain];
    // Where stacks were recorded, the C code at their end did not call the function itself.
    if (sample.is_python && caller != 0) {
      caller = callers.Node(at.python.UnknownCallers(), caller, spool::kChainPython);
    }
    std::vector<EventCount>& place = places.CountsOf(
        sample.address, sample.native, caller, phase,
        at.keep_threads && has_thread ? static_cast<std::uint32_t>(at.threads[hit.thread])
                                      : kNoThread);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t column = at.columns[i];
      if (column == kNoColumn || counts[i].samples == 0) continue;
      const EventCount count{counts[i].samples, counts[i].weight};
      AddCount(place, column, count);
      if (!merged) AddCount(processes[at.processes.OfThread(hit.thread)].counts, column, count);
      // The threads of a merged file have records with their counts, but these are not divided by
      // mark.
      if (has_thread && (!merged || filtered)) {
        AddCount(threads[at.threads[hit.thread]].counts, column, count);
      }
      EventTotals& totals = columns[column];
      // The totals are sums over hits, so that they agree with the places whatever the header says.
      AddTo(totals.samples, count.samples);
      AddTo(totals.weight, count.weight);
    }
  }
  for (std::size_t i = 0; filtered && i < all.size(); ++i) {
    // Weights do not depend on marks, so that the squared weights are divided in proportion to the
    // weights.
    if (at.columns[i] == kNoColumn || all[i] <= 0) continue;
    columns[at.columns[i]].weight_squared +=
        spool.header.events[i].weight_squared * (kept[i] / all[i]);
  }
}

void ProfileMerger::State::AddWaits(const spool::Spool& spool, SpoolCode& code,
                                    const Placement& at) {
  // By phase of the profile; empty: all are wanted.
  std::vector<bool> wanted;
  if (!options.only_phase.empty()) {
    // Phase 0, the time before the first mark, is never wanted.
    wanted.resize(1);
    for (const std::uint32_t phase : at.phases) {
      if (wanted.size() <= phase) wanted.resize(phase + 1);
      wanted[phase] = phase != 0 && phases[phase].name == options.only_phase;
    }
  }
  waits.Add(spool, code, at.python, at.threads, at.phases, wanted);
}

ProfileMerger::ProfileMerger(MergeOptions options)
    : options_(std::move(options)), state_(std::make_unique<State>(options_)) {}
ProfileMerger::~ProfileMerger() = default;

void ProfileMerger::Add(const spool::Spool& spool, ProcessState state, const std::string& path) {
  State& s = *state_;
  const bool one_mark = !options_.only_phase.empty();
  // With the path: the report is of many files.
  for (const std::string& problem : spool.problems) s.problems.push_back(path + ": " + problem);
  // Processes come before the modules that belong to them, and modules before everything with
  // addresses.
  const ColumnMap columns = s.columns.Add(spool.header, one_mark);
  const SpoolProcesses processes = s.processes.Add(spool, state, path, columns, one_mark);
  SpoolCode code(spool, s.processes, processes, s.modules);
  const SpoolPython python(spool, s.python, s.modules, options_.python);
  const auto threads = s.threads.Add(spool, processes, code, columns, one_mark);
  std::vector<std::uint32_t> callers;
  if (options_.keep_callers) {
    // Chains of waiting threads alone must not look as if samples had callers.
    std::vector<bool> wanted;
    if (!spool.waits.sites.empty()) wanted = ChainsOf(spool, spool.hits, &spool::Hit::chain);
    const bool any = std::find(wanted.begin(), wanted.end(), true) != wanted.end();
    if (wanted.empty() || any) callers = s.callers.Add(spool, code, python, wanted);
  }
  std::vector<std::uint32_t> phases;
  // The names of the marks are needed to find the wanted one.
  if (options_.keep_phases || one_mark) phases = s.phases.Add(spool);
  const bool keep_threads =
      options_.keep_threads || (options_.keep_openmp_threads && HasOpenMp(spool));
  const Placement at{columns, processes, python, threads, callers, phases, keep_threads};
  s.AddHits(spool, code, at);
  s.AddWaits(spool, code, at);
  if (options_.keep_ranks && !one_mark) s.ranks.Add(spool, code, columns);
  s.chain_ends.Add(spool, code);
  s.threads.AddShort(spool, code);
  s.times.Add(spool, processes, threads, code);
  s.timed.Add(spool, processes, code, python, callers, columns);
  // Notes of a merged file: programs without a spool, with the reasons, and problems.
  for (const spool::Note& note : spool.notes) {
    // A note without a reason is a problem (spool::NoteRecord).
    if (note.why.empty()) {
      s.problems.emplace_back(note.text);
    } else {
      s.not_followed.Add(std::string(note.text), std::string(note.why), note.times);
    }
  }
  for (const spool::TreeFacts& facts : spool.tree_facts) {
    const auto* bytes = reinterpret_cast<const std::byte*>(facts.records.data());
    s.tree_facts.push_back({facts.tree_id, {bytes, bytes + facts.records.size()}});
  }
  s.counters.Add(spool);
}

void ProfileMerger::AddNotFollowed(const std::string& program, const std::string& why,
                                   std::uint64_t times) {
  state_->not_followed.Add(program, why, times);
}

void ProfileMerger::AddProblem(std::string problem) {
  state_->problems.push_back(std::move(problem));
}

Profile ProfileMerger::Finish() {
  State& s = *state_;
  // Threads and modules refer to processes by index.
  const std::vector<std::size_t> new_index = s.processes.Sort();
  s.threads.RenumberProcesses(new_index);
  s.modules.RenumberProcesses(new_index);
  s.times.RenumberProcesses(new_index);
  s.timed.RenumberProcesses(new_index);
  // Samples and waits have a tree of callers each.
  const auto note_full = [&](bool is_full, const char* what) {
    if (!is_full) return;
    s.problems.push_back("more than " + std::to_string(options_.max_callers) + " callers: some " +
                         what + " are shown without callers");
  };
  note_full(s.callers.is_full(), "samples");
  note_full(s.waits.is_full(), "waits");
  Profile profile;
  profile.events = s.columns.Take();
  profile.modules = s.modules.Take();
  profile.places = s.places.Take();
  profile.callers = s.callers.Take();
  profile.python_functions = s.python.Take();
  profile.python = s.python.TakeSums();
  profile.chain_ends = s.chain_ends.Take();
  // While the processes are still in their table: phase 0 is what their CPU time leaves.
  profile.phases = s.phases.Finish(s.processes.rows());
  profile.only_phase = options_.only_phase;
  profile.processes = s.processes.Take();
  profile.threads = s.threads.Take();
  profile.short_threads = s.threads.TakeShort();
  profile.thread_times = s.times.TakeThreads();
  profile.place_times = s.times.TakePlaces();
  profile.timed = s.timed.Take();
  profile.not_followed = s.not_followed.Take();
  profile.device_counters = s.counters.Finish();
  profile.waits = s.waits.Take();
  profile.ranks = s.ranks.Take();
  profile.tree_facts = std::move(s.tree_facts);
  profile.problems = std::move(s.problems);
  // The merger can be used again.
  state_ = std::make_unique<State>(options_);
  // Rows that never had a count of the last columns are filled up, so that all vectors have one
  // length.
  const std::size_t columns = profile.events.size();
  for (Place& place : profile.places) place.counts.resize(columns);
  for (ProcessRow& process : profile.processes) process.counts.resize(columns);
  for (ThreadRow& thread : profile.threads) thread.counts.resize(columns);
  return profile;
}

}  // namespace csink

#include "profil/model/merge.h"

#include <algorithm>
#include <tuple>

#include "profil/model/merge_state.h"
#include "profil/model/saturating.h"

/// File: columns, modules and samples of a merge. Each spool has its own numbering of events,
/// regions, threads, chains and phases; Placement maps these to indices of the profile, so that a
/// sample is added by table look-ups and one hash of its place.

namespace csink {
namespace {

// The identity of a module. The first number keeps the kinds apart: unknown, anonymous (by
// process), by build-id, by file.
ModuleKey KeyOf(const Module& module, std::size_t process) {
  if (module.is_unknown) return {0, "", 0, 0, 0};
  if (module.is_anonymous) return {1, module.path, process, module.region_start, 0};
  if (!module.build_id.empty()) {
    return {2, std::string(module.build_id.begin(), module.build_id.end()), 0, 0, 0};
  }
  return {3, module.path, module.device_major, module.device_minor, module.inode};
}

// The module of a region, without its process.
Module ModuleOf(const spool::Region& region) {
  Module module;
  module.path = region.path;
  module.build_id.assign(region.build_id.begin(), region.build_id.end());
  module.device_major = region.device_major;
  module.device_minor = region.device_minor;
  module.inode = region.inode;
  module.is_vdso = (region.flags & spool::kRegionVdso) != 0;
  module.is_deleted = (region.flags & spool::kRegionDeleted) != 0;
  module.is_unknown = (region.flags & spool::kRegionUnknown) != 0;
  module.is_anonymous = !module.is_unknown && (region.flags & spool::kRegionAnonymous) != 0;
  if (module.is_anonymous) module.region_start = region.start;
  return module;
}

}  // namespace

void AddCount(std::vector<EventCount>& counts, std::size_t column, const EventCount& count) {
  if (counts.size() <= column) counts.resize(column + 1);
  AddTo(counts[column], count);
}

std::size_t ProfileMerger::State::ColumnOf(const spool::EventColumn& event) {
  auto& events = profile.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    // A column is either in period or in frequency mode.
    if (events[i].name == event.name &&
        (events[i].frequency_hz != 0) == (event.frequency_hz != 0)) {
      return i;
    }
  }
  // No room: callers leave out this event.
  if (events.size() == kMaxColumns) return kMaxColumns;
  events.push_back({.name = event.name,
                    .kind = event.kind,
                    .skid = event.skid,
                    .period = event.period,
                    .frequency_hz = event.frequency_hz,
                    .precise_ip = event.precise_ip,
                    .precise_asked = event.precise_asked,
                    .precise_errno = event.precise_errno,
                    .precise_by = event.precise_by});
  return events.size() - 1;
}

void ProfileMerger::State::AddColumns(const spool::Spool& spool, Placement& at) {
  for (std::uint32_t i = 0; i < spool.header.event_count; ++i) {
    const spool::EventColumn& event = spool.header.events[i];
    const std::size_t column = ColumnOf(event);
    at.columns.push_back(column);
    if (column == kMaxColumns) continue;
    EventTotals& totals = profile.events[column];
    if (event.mixed_periods != 0) totals.mixed_periods = true;
    // The smallest period stands for the column; mixed_periods tells the report.
    if (totals.period != event.period || totals.frequency_hz != event.frequency_hz) {
      totals.mixed_periods = true;
      totals.period = std::min(totals.period, event.period);
    }
    // The largest number stands for the column.
    if (totals.skid != event.skid) totals.skid = std::max(totals.skid, event.skid);
    if (event.precise_ip < totals.precise_ip) {  // The least precise process determines the column
      totals.precise_ip = event.precise_ip;
      totals.precise_asked = event.precise_asked;
      totals.precise_errno = event.precise_errno;
      totals.precise_by = event.precise_by;
    }
    // With only_phase AddHits adds the part of the samples that are kept.
    if (options.only_phase.empty()) totals.weight_squared += event.weight_squared;
    AddTo(totals.lost_records, event.lost_records);
    AddTo(totals.throttled, event.throttled);
    AddTo(totals.enabled_ns, event.enabled_ns);
    AddTo(totals.running_ns, event.running_ns);
    AddTo(totals.unplaced, event.unplaced);
    if (!options.only_phase.empty()) continue;  // The rest covers the whole run, not one mark
    AddTo(totals.due_ns, event.due_ns);
    AddTo(totals.throttled_ns, event.throttled_ns);
    AddTo(totals.unsampled, event.unsampled);
    if (event.rate_limit_hz != 0 &&
        (totals.rate_limit_hz == 0 || event.rate_limit_hz < totals.rate_limit_hz)) {
      totals.rate_limit_hz = event.rate_limit_hz;
    }
  }
}

std::uint32_t ProfileMerger::State::ModuleIndex(Module module, std::size_t process) {
  const auto [it, is_new] =
      modules.emplace(KeyOf(module, process), static_cast<std::uint32_t>(profile.modules.size()));
  if (is_new) profile.modules.push_back(std::move(module));
  return it->second;
}

CodeAddress ProfileMerger::State::AddressOf(const spool::Spool& spool, std::uint32_t region,
                                            std::uint64_t pc, const Placement& at) const {
  if (region >= at.modules.size()) return {};
  const Module& module = profile.modules[at.modules[region]];
  // There is no file, so the place is the address itself.
  if (module.is_unknown || module.is_anonymous) return {at.modules[region], pc};
  const spool::Region& mapping = spool.regions[region];
  return {at.modules[region], pc - mapping.start + mapping.file_offset};
}

CodeAddress ProfileMerger::State::AddressOrUnknown(const spool::Spool& spool, std::uint32_t region,
                                                   std::uint64_t pc, const Placement& at) {
  const CodeAddress address = AddressOf(spool, region, pc, at);
  if (address.module != kNoModule) return address;
  Module unknown;
  unknown.is_unknown = true;
  return {ModuleIndex(std::move(unknown), 0), pc};
}

void ProfileMerger::State::AddModules(const spool::Spool& spool, Placement& at) {
  at.modules.reserve(spool.regions.size());
  for (const spool::Region& region : spool.regions) {
    Module module = ModuleOf(region);
    // In a merged file anonymous code names its own process.
    module.process =
        region.process_plus_one == 0 ? at.process : at.processes[region.process_plus_one - 1];
    const std::size_t process = module.process;
    if (module.is_anonymous) {
      const ProcessRow& owner = profile.processes[process];
      module.pid = owner.pid;
      module.uid = owner.uid;
      module.start_realtime_ns = owner.start_realtime_ns;
    }
    at.modules.push_back(ModuleIndex(std::move(module), process));
  }
}

void ProfileMerger::State::AddHits(const spool::Spool& spool, const Placement& at) {
  // A merged file has separate records with the counts of its processes and threads.
  const bool merged = !spool.processes.empty();
  ProcessRow* process = merged ? nullptr : &profile.processes[at.process];
  // `all` and `kept`: weights of all samples and of those of the wanted mark, by event of the
  // spool.
  const bool filtered = !options.only_phase.empty();
  std::vector<double> all(at.columns.size());
  std::vector<double> kept(at.columns.size());
  for (const spool::Hit& hit : spool.hits) {
    const std::uint32_t phase = at.phases.empty() ? 0 : at.phases[hit.phase];
    const bool wanted =
        !filtered || (phase != 0 && profile.phases[phase].name == options.only_phase);
    const auto counts = spool.CountsOf(hit);
    if (filtered) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        all[i] += static_cast<double>(counts[i].weight);
        if (wanted) kept[i] += static_cast<double>(counts[i].weight);
      }
      if (!wanted) continue;
    }
    const bool has_thread =
        hit.thread < at.threads.size() && at.threads[hit.thread] != Placement::kNobody;
    const CodeAddress address = AddressOrUnknown(spool, hit.region, hit.pc, at);
    const PlaceKey key{.offset = address.offset,
                       .module = address.module,
                       .caller = at.callers.empty() ? 0 : at.callers[hit.chain],
                       .phase = phase,
                       .thread = options.keep_threads && has_thread
                                     ? static_cast<std::uint32_t>(at.threads[hit.thread])
                                     : kNoThread};
    // The place's index is kept in the table, because the vector of places may move.
    const auto [it, is_new] = places.emplace(key, profile.places.size());
    if (is_new) {
      profile.places.push_back({.address = address,
                                .caller = key.caller,
                                .phase = phase,
                                .thread = key.thread,
                                .counts = {}});
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t column = at.columns[i];
      if (column == kMaxColumns || counts[i].samples == 0) continue;
      const EventCount count{counts[i].samples, counts[i].weight};
      AddCount(profile.places[it->second].counts, column, count);
      if (process) AddCount(process->counts, column, count);
      // The threads of a merged file have records with their counts, but these are not divided by
      // mark.
      if (has_thread && (!merged || filtered)) {
        AddCount(profile.threads[at.threads[hit.thread]].counts, column, count);
      }
      EventTotals& totals = profile.events[column];
      AddTo(totals.samples, count.samples);
      AddTo(totals.weight, count.weight);
    }
  }
  for (std::size_t i = 0; filtered && i < all.size(); ++i) {
    // Weights do not depend on marks, so that the squared weights are divided in proportion to the
    // weights.
    if (at.columns[i] == kMaxColumns || all[i] <= 0) continue;
    profile.events[at.columns[i]].weight_squared +=
        spool.header.events[i].weight_squared * (kept[i] / all[i]);
  }
}

void ProfileMerger::State::AddShortThreads(const spool::Spool& spool, const Placement& at) {
  for (const spool::Routine& routine : spool.routines) {
    if (routine.threads == 0 && routine.cpu_ns == 0) continue;
    CodeAddress address;
    if (routine.start_routine != 0) {
      address = AddressOf(spool, routine.start_region, routine.start_routine, at);
    }
    const auto [it, is_new] = short_threads.emplace(std::make_pair(address.module, address.offset),
                                                    profile.short_threads.size());
    if (is_new) profile.short_threads.push_back({address, 0, 0});
    ShortThreads& row = profile.short_threads[it->second];
    AddTo(row.threads, routine.threads);
    AddTo(row.cpu_ns, routine.cpu_ns);
  }
}

ProfileMerger::ProfileMerger(MergeOptions options)
    : options_(std::move(options)), state_(std::make_unique<State>(options_)) {}
ProfileMerger::~ProfileMerger() = default;

void ProfileMerger::Add(const spool::Spool& spool, ProcessState state, const std::string& path) {
  State::Placement at;
  // Each step uses the indices that the steps before have put into `at`: columns first, processes
  // before the modules that belong to them, modules before everything with addresses.
  state_->AddColumns(spool, at);
  state_->AddProcesses(spool, state, path, at);
  state_->AddModules(spool, at);
  state_->AddThreads(spool, at);
  state_->AddCallers(spool, at);
  state_->AddPhases(spool, at);
  state_->AddHits(spool, at);
  state_->AddShortThreads(spool, at);
  state_->AddNotes(spool);
  state_->AddDeviceCounters(spool);
}

void ProfileMerger::AddNotFollowed(const std::string& program, const std::string& why,
                                   std::uint64_t times) {
  state_->AddNotFollowed(program, why, times);
}

void ProfileMerger::AddProblem(std::string problem) {
  state_->profile.problems.push_back(std::move(problem));
}

Profile ProfileMerger::Finish() {
  state_->SortProcesses();
  state_->FinishPhases();
  state_->FinishDeviceCounters();
  if (state_->callers_are_full) {
    state_->profile.problems.push_back("more than " + std::to_string(options_.max_callers) +
                                       " callers: some samples are shown without callers");
  }
  Profile profile = std::move(state_->profile);
  // The merger can be used again.
  state_ = std::make_unique<State>(options_);
  // Rows that never had a count of the last columns are filled up, so that all vectors have one
  // length.
  profile.only_phase = options_.only_phase;
  const std::size_t columns = profile.events.size();
  for (Place& place : profile.places) place.counts.resize(columns);
  for (ProcessRow& process : profile.processes) process.counts.resize(columns);
  for (ThreadRow& thread : profile.threads) thread.counts.resize(columns);
  std::sort(profile.places.begin(), profile.places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.address.module, a.address.offset, a.caller, a.phase, a.thread) <
           std::tie(b.address.module, b.address.offset, b.caller, b.phase, b.thread);
  });
  return profile;
}

}  // namespace csink

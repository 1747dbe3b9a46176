#include "profil/model/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "profil/model/saturating.h"

namespace csink {
namespace {

/// More columns than this would need processes with wholly different event lists.
constexpr std::size_t kMaxColumns = 32;

using ModuleKey = std::tuple<int, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;

ModuleKey KeyOf(const Module& module, std::size_t process) {
  if (module.is_unknown) return {0, "", 0, 0, 0};
  if (module.is_anonymous) return {1, module.path, process, module.region_start, 0};
  if (!module.build_id.empty()) {
    return {2, std::string(module.build_id.begin(), module.build_id.end()), 0, 0, 0};
  }
  return {3, module.path, module.device_major, module.device_minor, module.inode};
}

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

void AddCount(std::vector<EventCount>& counts, std::size_t column, const EventCount& count) {
  if (counts.size() <= column) counts.resize(column + 1);
  AddTo(counts[column], count);
}

struct AddressHash {
  std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& key) const noexcept {
    return std::hash<std::uint64_t>()(key.second * 0x9e3779b97f4a7c15ull ^ key.first);
  }
};

}  // namespace

struct ProfileMerger::State {
  Profile profile;
  std::map<ModuleKey, std::uint32_t> modules;
  std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t, AddressHash> places;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> short_threads;

  std::size_t ColumnOf(const spool::EventColumn& event);
  std::uint32_t ModuleIndex(Module module, std::size_t process);
  CodeAddress AddressOf(const spool::Spool& spool, std::uint32_t region, std::uint64_t pc,
                        const std::vector<std::uint32_t>& modules) const;
  void AddProcess(const spool::Spool& spool, ProcessState state, const std::string& path);
  std::vector<std::size_t> AddColumns(const spool::Spool& spool);
  void AddThreads(const spool::Spool& spool, const std::vector<std::uint32_t>& modules);
  void AddHits(const spool::Spool& spool, const std::vector<std::size_t>& columns,
               const std::vector<std::uint32_t>& modules, std::size_t first_thread);
  void AddShortThreads(const spool::Spool& spool, const std::vector<std::uint32_t>& modules);
};

std::size_t ProfileMerger::State::ColumnOf(const spool::EventColumn& event) {
  auto& events = profile.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].name == event.name &&
        (events[i].frequency_hz != 0) == (event.frequency_hz != 0)) {
      return i;
    }
  }
  if (events.size() == kMaxColumns) return kMaxColumns;
  events.push_back({.name = event.name,
                    .kind = event.kind,
                    .skid = event.skid,
                    .period = event.period,
                    .frequency_hz = event.frequency_hz,
                    .precise_ip = event.precise_ip});
  return events.size() - 1;
}

std::vector<std::size_t> ProfileMerger::State::AddColumns(const spool::Spool& spool) {
  std::vector<std::size_t> columns;
  for (std::uint32_t i = 0; i < spool.header.event_count; ++i) {
    const spool::EventColumn& event = spool.header.events[i];
    const std::size_t column = ColumnOf(event);
    columns.push_back(column);
    if (column == kMaxColumns) continue;
    EventTotals& totals = profile.events[column];
    if (totals.period != event.period || totals.frequency_hz != event.frequency_hz) {
      totals.mixed_periods = true;
      totals.period = std::min(totals.period, event.period);
    }
    if (totals.skid != event.skid) totals.skid = std::max(totals.skid, event.skid);
    totals.precise_ip = std::min(totals.precise_ip, event.precise_ip);
    totals.weight_squared += event.weight_squared;
    AddTo(totals.lost_records, event.lost_records);
    AddTo(totals.throttled, event.throttled);
    AddTo(totals.enabled_ns, event.enabled_ns);
    AddTo(totals.running_ns, event.running_ns);
    AddTo(totals.unplaced, event.unplaced);
  }
  return columns;
}

std::uint32_t ProfileMerger::State::ModuleIndex(Module module, std::size_t process) {
  const auto [it, is_new] =
      modules.emplace(KeyOf(module, process), static_cast<std::uint32_t>(profile.modules.size()));
  if (is_new) profile.modules.push_back(std::move(module));
  return it->second;
}

CodeAddress ProfileMerger::State::AddressOf(const spool::Spool& spool, std::uint32_t region,
                                            std::uint64_t pc,
                                            const std::vector<std::uint32_t>& modules) const {
  if (region >= modules.size()) return {};
  const Module& module = profile.modules[modules[region]];
  if (module.is_unknown || module.is_anonymous) return {modules[region], pc};
  const spool::Region& mapping = spool.regions[region];
  return {modules[region], pc - mapping.start + mapping.file_offset};
}

void ProfileMerger::State::AddProcess(const spool::Spool& spool, ProcessState state,
                                      const std::string& path) {
  const spool::Header& header = spool.header;
  profile.processes.push_back({.spool_path = path,
                               .host = header.host,
                               .program = header.program,
                               .command = header.command,
                               .pid = header.pid,
                               .parent_pid = header.parent_pid,
                               .generation = header.exec_generation,
                               .start_ticks = header.process_start_ticks,
                               .state = state,
                               .end = header.end,
                               .end_detail = header.end_detail,
                               .source = header.source,
                               .source_reason = header.source_reason,
                               .start_realtime_ns = header.start_realtime_ns,
                               .start_monotonic_ns = header.start_monotonic_ns,
                               .update_monotonic_ns = header.update_monotonic_ns,
                               .user_ns = header.user_ns,
                               .system_ns = header.system_ns,
                               .start_user_ns = header.start_user_ns,
                               .start_system_ns = header.start_system_ns,
                               .agent_ns = header.agent_ns,
                               .lost_ns = std::to_array(header.lost_ns),
                               .threads_seen = header.threads_seen,
                               .threads_sampled = header.threads_sampled,
                               .frozen = header.frozen != 0,
                               .rank = static_cast<std::int64_t>(header.rank_plus_one) - 1,
                               .job = header.job,
                               .depth = header.depth,
                               .paused_ns = header.paused_ns,
                               .bad_stacks = header.bad_stacks,
                               .configuration = {},
                               .counts = {}});
  for (const std::string& problem : spool.problems) {
    profile.problems.push_back(path + ": " + problem);
  }
}

void ProfileMerger::State::AddThreads(const spool::Spool& spool,
                                      const std::vector<std::uint32_t>& modules) {
  for (std::size_t i = 0; i < spool.threads.size(); ++i) {
    const spool::Thread& thread = spool.threads[i];
    CodeAddress start_routine;
    if (thread.start_routine != 0) {
      start_routine = AddressOf(spool, thread.start_region, thread.start_routine, modules);
    }
    profile.threads.push_back({.process = profile.processes.size() - 1,
                               .tid = thread.tid,
                               .name = thread.name,
                               .is_merged = i == 0,
                               .ended = thread.ended,
                               .cpu_ns = thread.cpu_ns,
                               .sampled_ns = thread.sampled_ns,
                               .lost_records = thread.lost_records,
                               .start_routine = start_routine,
                               .counts = {}});
  }
}

void ProfileMerger::State::AddHits(const spool::Spool& spool,
                                   const std::vector<std::size_t>& columns,
                                   const std::vector<std::uint32_t>& modules,
                                   std::size_t first_thread) {
  ProcessRow& process = profile.processes.back();
  for (const spool::Hit& hit : spool.hits) {
    CodeAddress address = AddressOf(spool, hit.region, hit.pc, modules);
    if (address.module == kNoModule) {
      Module unknown;
      unknown.is_unknown = true;
      address = {ModuleIndex(std::move(unknown), 0), hit.pc};
    }
    const auto [it, is_new] =
        places.emplace(std::make_pair(address.module, address.offset), profile.places.size());
    if (is_new) profile.places.push_back({.address = address, .counts = {}});
    const auto counts = spool.CountsOf(hit);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t column = columns[i];
      if (column == kMaxColumns || counts[i].samples == 0) continue;
      const EventCount count{counts[i].samples, counts[i].weight};
      AddCount(profile.places[it->second].counts, column, count);
      AddCount(process.counts, column, count);
      if (hit.thread < spool.threads.size()) {
        AddCount(profile.threads[first_thread + hit.thread].counts, column, count);
      }
      EventTotals& totals = profile.events[column];
      AddTo(totals.samples, count.samples);
      AddTo(totals.weight, count.weight);
    }
  }
}

void ProfileMerger::State::AddShortThreads(const spool::Spool& spool,
                                           const std::vector<std::uint32_t>& modules) {
  for (const spool::Routine& routine : spool.routines) {
    if (routine.threads == 0 && routine.cpu_ns == 0) continue;
    CodeAddress address;
    if (routine.start_routine != 0) {
      address = AddressOf(spool, routine.start_region, routine.start_routine, modules);
    }
    const auto [it, is_new] = short_threads.emplace(std::make_pair(address.module, address.offset),
                                                    profile.short_threads.size());
    if (is_new) profile.short_threads.push_back({address, 0, 0});
    ShortThreads& row = profile.short_threads[it->second];
    AddTo(row.threads, routine.threads);
    AddTo(row.cpu_ns, routine.cpu_ns);
  }
}

ProfileMerger::ProfileMerger() : state_(std::make_unique<State>()) {}
ProfileMerger::~ProfileMerger() = default;

void ProfileMerger::Add(const spool::Spool& spool, ProcessState state, const std::string& path) {
  state_->AddProcess(spool, state, path);
  const std::size_t process = state_->profile.processes.size() - 1;
  const std::vector<std::size_t> columns = state_->AddColumns(spool);
  std::vector<std::uint32_t> modules;
  modules.reserve(spool.regions.size());
  for (const spool::Region& region : spool.regions) {
    modules.push_back(state_->ModuleIndex(ModuleOf(region), process));
  }
  const std::size_t first_thread = state_->profile.threads.size();
  state_->AddThreads(spool, modules);
  state_->AddHits(spool, columns, modules, first_thread);
  state_->AddShortThreads(spool, modules);
}

Profile ProfileMerger::Finish() {
  Profile profile = std::move(state_->profile);
  state_ = std::make_unique<State>();
  const std::size_t columns = profile.events.size();
  for (Place& place : profile.places) place.counts.resize(columns);
  for (ProcessRow& process : profile.processes) process.counts.resize(columns);
  for (ThreadRow& thread : profile.threads) thread.counts.resize(columns);
  std::sort(profile.places.begin(), profile.places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.address.module, a.address.offset) <
           std::tie(b.address.module, b.address.offset);
  });

  std::vector<std::size_t> order(profile.processes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const ProcessRow& a = profile.processes[x];
    const ProcessRow& b = profile.processes[y];
    return std::tie(a.start_realtime_ns, a.pid, a.generation, x) <
           std::tie(b.start_realtime_ns, b.pid, b.generation, y);
  });
  std::vector<ProcessRow> processes;
  std::vector<std::size_t> new_index(order.size());
  for (const std::size_t old : order) {
    new_index[old] = processes.size();
    processes.push_back(std::move(profile.processes[old]));
  }
  profile.processes = std::move(processes);
  for (ThreadRow& thread : profile.threads) thread.process = new_index[thread.process];
  return profile;
}

}  // namespace csink

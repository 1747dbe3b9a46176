#include "profil/reading/model/difference.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "profil/reading/model/evidence_sums.h"
#include "profil/reading/model/saturating.h"

/// File: subtracts an earlier profile. Everything is matched by identities that do not depend on
/// the order in which a profile was built, because the two profiles number their modules, processes
/// and events differently.

namespace csink {
namespace {

using ModuleId = std::tuple<std::string, std::vector<std::uint8_t>, std::uint32_t, std::uint32_t,
                            std::uint64_t, std::uint64_t, std::uint64_t>;

// Identifies a module in both profiles. Anonymous code belongs to one process, so the process is
// part of it.
ModuleId IdOf(const Module& module) {
  return {module.path,
          module.build_id,
          module.device_major,
          module.device_minor,
          module.inode,
          module.region_start,
          module.is_anonymous ? std::uint64_t{module.pid} << 32 ^ module.image_realtime_ns : 0};
}

/// Identifies a process over all its images: its CPU time continues from one image to the next.
using LineageId = std::tuple<std::string, std::uint32_t, std::uint64_t>;

LineageId LineageOf(const ProcessRow& process) {
  return {process.host, process.pid, process.start_ticks};
}

/// CPU time of a process over all its images.
struct CpuTimes {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
};

// The CPU time of each process: that of its last image, whose clock includes the earlier ones.
std::map<LineageId, CpuTimes> CpuTimesOf(const Profile& profile) {
  std::map<LineageId, CpuTimes> times;
  for (const ProcessRow& process : profile.processes) {
    CpuTimes& time = times[LineageOf(process)];
    time.user_ns = std::max(time.user_ns, process.user_ns);
    time.system_ns = std::max(time.system_ns, process.system_ns);
  }
  return times;
}

using ProcessId = std::tuple<std::string, std::uint32_t, std::uint64_t>;

// Identifies one image.
ProcessId IdOf(const ProcessRow& process) {
  return {process.host, process.pid, process.start_monotonic_ns};
}

// Subtracts counts; `event_of` has the index in `before` for each event of `counts`.
void TakeOff(std::vector<EventCount>& counts, const std::vector<EventCount>& before,
             const std::vector<std::size_t>& event_of) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // A row that had no count of this event before.
    if (event_of[i] >= before.size()) continue;
    counts[i].samples = SaturatingSubtract(counts[i].samples, before[event_of[i]].samples);
    counts[i].weight = SaturatingSubtract(counts[i].weight, before[event_of[i]].weight);
  }
}

/// For each event of `now`, its index in `before`; before.events.size(): it is new.
std::vector<std::size_t> EventsIn(const Profile& now, const Profile& before) {
  std::vector<std::size_t> event_of;
  for (const EventTotals& event : now.events) {
    const auto it =
        std::find_if(before.events.begin(), before.events.end(), [&](const EventTotals& other) {
          // As ColumnTable::Add matches columns.
          return other.name == event.name && (other.frequency_hz == 0) == (event.frequency_hz == 0);
        });
    event_of.push_back(static_cast<std::size_t>(it - before.events.begin()));
  }
  return event_of;
}

// Subtracts the totals of the events.
void TakeOffTotals(Profile& now, const Profile& before, const std::vector<std::size_t>& event_of) {
  for (std::size_t i = 0; i < now.events.size(); ++i) {
    // An event that a new process brought: all of it is new.
    if (event_of[i] == before.events.size()) continue;
    EventTotals& event = now.events[i];
    const EventTotals& old = before.events[event_of[i]];
    event.samples = SaturatingSubtract(event.samples, old.samples);
    event.weight = SaturatingSubtract(event.weight, old.weight);
    // The difference of two rounded sums may be slightly negative.
    event.weight_squared = std::max(0.0, event.weight_squared - old.weight_squared);
    event.lost_records = SaturatingSubtract(event.lost_records, old.lost_records);
    event.throttled = SaturatingSubtract(event.throttled, old.throttled);
    event.enabled_ns = SaturatingSubtract(event.enabled_ns, old.enabled_ns);
    event.running_ns = SaturatingSubtract(event.running_ns, old.running_ns);
    event.unplaced = SaturatingSubtract(event.unplaced, old.unplaced);
    event.due_ns = SaturatingSubtract(event.due_ns, old.due_ns);
    event.throttled_ns = SaturatingSubtract(event.throttled_ns, old.throttled_ns);
    event.unsampled = SaturatingSubtract(event.unsampled, old.unsampled);
  }
}

// For each module of `now`, its index in `before`; kNoModule: it is new.
std::vector<std::uint32_t> ModulesIn(const Profile& now, const Profile& before) {
  std::map<ModuleId, std::uint32_t> modules;
  for (std::size_t i = 0; i < before.modules.size(); ++i) {
    // Of modules with equal identities the first one counts.
    modules.emplace(IdOf(before.modules[i]), static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> module_of;
  for (const Module& module : now.modules) {
    const auto it = modules.find(IdOf(module));
    module_of.push_back(it == modules.end() ? kNoModule : it->second);
  }
  return module_of;
}

/// An index that is in no profile: what is new has no counterpart.
constexpr std::uint32_t kNew = 0xfffffffe;

// For each caller of `now`, its index in `before`; kNew: it is new. A caller is identified by its
// address and by all callers above it. Parents stand in front of their children.
std::vector<std::uint32_t> CallersIn(const Profile& now, const Profile& before,
                                     const std::vector<std::uint32_t>& module_of) {
  using CallerId = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>;
  std::map<CallerId, std::uint32_t> callers;
  for (std::uint32_t i = 1; i < before.callers.size(); ++i) {
    const Caller& caller = before.callers[i];
    callers.emplace(
        CallerId{caller.parent, caller.address.module, caller.address.offset, caller.flags}, i);
  }
  // Index 0 is "not known" in every profile, also in one without callers.
  std::vector<std::uint32_t> caller_of(std::max<std::size_t>(1, now.callers.size()), 0);
  for (std::size_t i = 1; i < now.callers.size(); ++i) {
    const Caller& caller = now.callers[i];
    const std::uint32_t module =
        caller.address.module < module_of.size() ? module_of[caller.address.module] : kNoModule;
    // A new module must not be taken for the unknown one.
    const bool is_new = module == kNoModule && caller.address.module != kNoModule;
    const auto it =
        is_new
            ? callers.end()
            : callers.find({caller_of[caller.parent], module, caller.address.offset, caller.flags});
    caller_of[i] = it == callers.end() ? kNew : it->second;
  }
  return caller_of;
}

// For each phase of `now`, its index in `before`; kNew: it is new.
std::vector<std::uint32_t> PhasesIn(const Profile& now, const Profile& before) {
  // Index 0 has the samples before the first mark, also in a profile without phases.
  std::vector<std::uint32_t> phase_of(std::max<std::size_t>(1, now.phases.size()), 0);
  for (std::size_t i = 1; i < now.phases.size(); ++i) {
    phase_of[i] = kNew;
    for (std::size_t j = 1; j < before.phases.size(); ++j) {
      if (before.phases[j].name == now.phases[i].name) phase_of[i] = static_cast<std::uint32_t>(j);
    }
  }
  return phase_of;
}

using ThreadId = std::tuple<ProcessId, std::uint32_t, bool>;

/// Identifies a thread, or the sum of a process's threads without a record.
ThreadId IdOf(const Profile& profile, const ThreadRow& thread) {
  return {IdOf(profile.processes[thread.process]), thread.tid, thread.is_merged};
}

// For each thread of `now`, its index in `before`; kNew: it is new.
std::vector<std::uint32_t> ThreadsIn(const Profile& now, const Profile& before) {
  std::map<ThreadId, std::uint32_t> threads;
  for (std::size_t i = 0; i < before.threads.size(); ++i) {
    threads[IdOf(before, before.threads[i])] = static_cast<std::uint32_t>(i);
  }
  std::vector<std::uint32_t> thread_of;
  for (const ThreadRow& thread : now.threads) {
    const auto it = threads.find(IdOf(now, thread));
    thread_of.push_back(it == threads.end() ? kNew : it->second);
  }
  return thread_of;
}

// For each Python function of `now`, its index in `before`; kNew: it is new.
std::vector<std::uint32_t> PythonFunctionsIn(const Profile& now, const Profile& before) {
  const auto id_of = [](const PythonFunction& function) {
    return std::tie(function.name, function.file, function.first_line, function.lines);
  };
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, std::uint32_t> ids;
  for (std::size_t i = 0; i < before.python_functions.size(); ++i) {
    ids.emplace(id_of(before.python_functions[i]), static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> function_of;
  for (const PythonFunction& function : now.python_functions) {
    const auto it = ids.find(id_of(function));
    function_of.push_back(it == ids.end() ? kNew : it->second);
  }
  return function_of;
}

// Subtracts the counts of the places, and removes places that have none left. A place is identified
// by its address, callers, phase and thread, as far as the profiles keep these apart.
void TakeOffPlaces(Profile& now, const Profile& before, const std::vector<std::size_t>& event_of) {
  using PlaceId = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t,
                             std::uint32_t, std::uint32_t, std::uint64_t>;
  const std::vector<std::uint32_t> function_of = PythonFunctionsIn(now, before);
  const std::vector<std::uint32_t> module_of = ModulesIn(now, before);
  const std::vector<std::uint32_t> caller_of = CallersIn(now, before, module_of);
  const std::vector<std::uint32_t> phase_of = PhasesIn(now, before);
  const std::vector<std::uint32_t> thread_of = ThreadsIn(now, before);
  std::map<PlaceId, const Place*> places;
  for (const Place& place : before.places) {
    places[{place.address.module, place.address.offset, place.caller, place.phase, place.thread,
            place.native.module, place.native.offset}] = &place;
  }
  // kNoModule never equals the module of a place in `before`, so new modules keep their counts.
  for (Place& place : now.places) {
    // kNoThread is not in thread_of and stays what it is.
    const std::uint32_t thread =
        place.thread < thread_of.size() ? thread_of[place.thread] : place.thread;
    const std::uint32_t native =
        place.native.module < module_of.size() ? module_of[place.native.module] : kNoModule;
    if (native == kNoModule && place.native.module != kNoModule) continue;  // new code
    std::uint64_t offset = place.address.offset;
    const std::uint32_t function = spool::PythonCodeOf(offset);
    // A damaged file may name a function that it does not have.
    if (now.modules[place.address.module].is_python && function < function_of.size()) {
      offset = spool::PythonPc(function_of[function], static_cast<std::uint32_t>(offset));
    }
    const auto it = places.find({module_of[place.address.module], offset, caller_of[place.caller],
                                 phase_of[place.phase], thread, native, place.native.offset});
    if (it != places.end()) TakeOff(place.counts, it->second->counts, event_of);
  }
  // An interval shows only the places that grew in it.
  std::erase_if(now.places, [](const Place& place) {
    return std::all_of(place.counts.begin(), place.counts.end(),
                       [](const EventCount& count) { return count.samples == 0; });
  });
}

/// Subtracts the CPU time that the process had used before. Also for images that started since.
void TakeOffCpuTimes(ProcessRow& process, const CpuTimes& old) {
  // The start is reduced as well: CPU time of an image is the difference of the two.
  for (std::uint64_t* time : {&process.user_ns, &process.start_user_ns}) {
    *time = SaturatingSubtract(*time, old.user_ns);
  }
  for (std::uint64_t* time : {&process.system_ns, &process.start_system_ns}) {
    *time = SaturatingSubtract(*time, old.system_ns);
  }
}

// Subtracts what is counted for an image alone.
void TakeOffProcess(ProcessRow& process, const ProcessRow& old) {
  const auto take = [](std::uint64_t& value, std::uint64_t before) {
    value = SaturatingSubtract(value, before);
  };
  // The interval begins where the earlier reading ended.
  process.since_monotonic_ns = old.update_monotonic_ns;
  take(process.agent_ns, old.agent_ns);
  take(process.paused_ns, old.paused_ns);
  take(process.bad_stacks, old.bad_stacks);
  take(process.unseen_ns, old.unseen_ns);
  take(process.switched_off_ns, old.switched_off_ns);
  take(process.switches, old.switches);
  csink::TakeOff(process.evidence, old.evidence);
  TakeOff(process.wall, old.wall);
  for (std::size_t i = 0; i < process.lost_ns.size(); ++i) take(process.lost_ns[i], old.lost_ns[i]);
}

// Subtracts the counts and times of processes and threads, by image and by thread.
void TakeOffRows(Profile& now, const Profile& before, const std::vector<std::size_t>& event_of) {
  std::map<ProcessId, const ProcessRow*> processes;
  for (const ProcessRow& process : before.processes) processes[IdOf(process)] = &process;
  // By process and not by image: an image that started since then continues the clock of its
  // process.
  const std::map<LineageId, CpuTimes> times = CpuTimesOf(before);
  for (ProcessRow& process : now.processes) {
    const auto used = times.find(LineageOf(process));
    if (used != times.end()) TakeOffCpuTimes(process, used->second);
    const auto it = processes.find(IdOf(process));
    if (it == processes.end()) continue;
    TakeOff(process.counts, it->second->counts, event_of);
    TakeOffProcess(process, *it->second);
  }
  std::map<ThreadId, const ThreadRow*> threads;
  for (const ThreadRow& thread : before.threads) threads[IdOf(before, thread)] = &thread;
  for (ThreadRow& thread : now.threads) {
    const auto it = threads.find(IdOf(now, thread));
    if (it == threads.end()) continue;
    TakeOff(thread.counts, it->second->counts, event_of);
    thread.cpu_ns = SaturatingSubtract(thread.cpu_ns, it->second->cpu_ns);
    thread.sampled_ns = SaturatingSubtract(thread.sampled_ns, it->second->sampled_ns);
    thread.lost_records = SaturatingSubtract(thread.lost_records, it->second->lost_records);
    TakeOff(thread.wall, it->second->wall);
  }
}

// Subtracts the ends of chains of samples. Those of looks belong to waits.
void TakeOffChainEnds(Profile& now, const Profile& before) {
  using Key = std::tuple<spool::ChainEnd, spool::ChainWay, std::uint32_t>;
  std::map<Key, std::uint64_t> ends;
  for (const ChainEndSum& sum : before.chain_ends)
    ends[{sum.end, sum.way, sum.module}] = sum.chains;
  const std::vector<std::uint32_t> module_of = ModulesIn(now, before);
  std::vector<ChainEndSum> left;
  for (ChainEndSum sum : now.chain_ends) {
    const std::uint32_t module = sum.module == kNoModule ? kNoModule : module_of[sum.module];
    // A new module has no earlier chains; kNoModule is that of chains in unknown code.
    const bool is_new = module == kNoModule && sum.module != kNoModule;
    const auto old = is_new ? ends.end() : ends.find({sum.end, sum.way, module});
    if (old != ends.end()) sum.chains = SaturatingSubtract(sum.chains, old->second);
    if (sum.chains != 0 && sum.way != spool::ChainWay::kLook) left.push_back(sum);
  }
  now.chain_ends = std::move(left);
}

}  // namespace

Profile Since(Profile now, const Profile& before) {
  const std::vector<std::size_t> event_of = EventsIn(now, before);
  TakeOffTotals(now, before, event_of);
  TakeOffPlaces(now, before, event_of);
  TakeOffRows(now, before, event_of);
  TakeOffChainEnds(now, before);
  // Waits are not subtracted: shown as they are, they would be those of the whole run.
  now.waits = Waits{};
  return now;
}

void DropUnsampled(Profile& profile) {
  const auto has_samples = [](const ProcessRow& process) {
    return std::any_of(process.counts.begin(), process.counts.end(),
                       [](const EventCount& count) { return count.samples != 0; });
  };
  // The new index of each row that is kept; kNone for the others.
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> process_to(profile.processes.size(), kNone);
  std::vector<ProcessRow> processes;
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    if (!has_samples(profile.processes[i])) continue;
    process_to[i] = processes.size();
    processes.push_back(std::move(profile.processes[i]));
  }
  profile.processes = std::move(processes);
  std::vector<std::uint32_t> thread_to(profile.threads.size(), kNoThread);
  std::vector<ThreadRow> threads;
  for (std::size_t i = 0; i < profile.threads.size(); ++i) {
    const std::size_t process = process_to[profile.threads[i].process];
    if (process == kNone) continue;
    thread_to[i] = static_cast<std::uint32_t>(threads.size());
    threads.push_back(std::move(profile.threads[i]));
    threads.back().process = process;
  }
  profile.threads = std::move(threads);
  for (Place& place : profile.places) {
    if (place.thread < thread_to.size()) place.thread = thread_to[place.thread];
  }
  for (Module& module : profile.modules) {
    // No place is left in the modules of a process that was removed.
    const std::size_t process =
        module.process < process_to.size() ? process_to[module.process] : kNone;
    module.process = process == kNone ? 0 : process;
  }
  profile.thread_times.clear();
  profile.place_times.clear();
}

}  // namespace csink

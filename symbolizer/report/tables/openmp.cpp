#include "symbolizer/report/tables/openmp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "profil/reading/model/openmp_runtime.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/tables/openmp_chain.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: sums the places of samples and of blocked threads by region, thread and state, then
/// divides the time in last barriers among the regions. A chain in the last barrier of a region
/// does not contain the region, except that of the thread that started it. But all threads of a
/// team are in a region for the same time, so that a thread which worked less than the longest one
/// waited for the difference.

namespace csink::report {
namespace {

/// Time in ns, and the sum of the squares of what single samples stand for.
struct Time {
  double ns = 0;
  double squared = 0;
  void Add(const Time& more) {
    ns += more.ns;
    squared += more.squared;
  }
  Time Part(double part) const { return {ns * part, squared * part}; }
};

constexpr std::size_t kStates = 4;
/// Of one thread in one region: work, barrier, lock, runtime.
using ByState = std::array<Time, kStates>;
enum : std::size_t { kWork, kBarrier, kLock, kRuntime };

Time SumOf(const ByState& states) {
  Time sum;
  for (const Time& time : states) sum.Add(time);
  return sum;
}

/// Of one thread outside of regions.
struct Outside {
  Time idle;
  Time barrier;
  Time either;
  Time rest;
};

/// A part of a time with its 95 % interval: Wilson's, with Kish's effective number of samples, ns^2
/// / squared. Where nothing was sampled, squared is 0 and the interval is a point.
OpenMpCell CellOf(const Time& part, const Time& whole) {
  OpenMpCell cell;
  cell.seconds = part.ns / 1e9;
  cell.share = whole.ns > 0 ? std::clamp(part.ns / whole.ns, 0.0, 1.0) : 0;
  cell.low = cell.high = cell.share;
  if (whole.squared > 0) {
    const Interval interval = WilsonInterval(cell.share, whole.ns * whole.ns / whole.squared);
    cell.low = interval.low;
    cell.high = interval.high;
  }
  return cell;
}

/// Widens the interval by a standard error of the cell's time: the part that was divided depends on
/// the samples of other threads.
void Widen(OpenMpCell& cell, const Time& whole, double error_ns) {
  if (whole.ns <= 0) return;
  const double more = kZ95 * error_ns / whole.ns;
  cell.low = std::max(0.0, cell.share - std::hypot(cell.share - cell.low, more));
  cell.high = std::min(1.0, cell.share + std::hypot(cell.high - cell.share, more));
}

/// Makes the tables of one profile. The steps of Run depend on each other in this order: a later
/// chain may contain the region of an earlier call, and the times in last barriers are divided when
/// all times in regions are known.
class Builder {
 public:
  Builder(const Profile& profile, const Names& names, const Resolver& resolve)
      : profile_(profile), names_(names), resolve_(resolve), chains_(profile, names, resolve) {}

  std::optional<OpenMpTables> Run() {
    AddSamples();
    AddWaits();
    AddPending();
    if (in_regions_.empty() && outside_.empty()) return std::nullopt;
    Divide();
    return Finish();
  }

 private:
  /// By region and thread.
  using Key = std::pair<std::size_t, std::uint32_t>;
  /// What Divide added to the barriers of a region.
  struct Divided {
    double ns = 0;
    double error_ns = 0;  ///< Standard error
  };
  struct Pending {
    OpenMpMoment moment;
    std::uint32_t thread;
    Time time;
  };

  /// The event whose samples are time: a clock, else the first one, scaled to the CPU time of the
  /// threads.
  void AddSamples() {
    if (profile_.events.empty()) return;
    std::size_t event = 0;
    // Backwards, so that the first of several clocks is taken.
    for (std::size_t i = profile_.events.size(); i-- > 0;) {
      if (profile_.events[i].kind == EventClass::kClock) event = i;
    }
    const EventTotals& totals = profile_.events[event];
    if (totals.weight == 0) return;
    double scale = 1;
    if (totals.kind != EventClass::kClock) {
      double cpu_ns = 0;
      for (const ThreadRow& thread : profile_.threads) {
        cpu_ns += static_cast<double>(thread.cpu_ns);
      }
      scale = cpu_ns / static_cast<double>(totals.weight);
    }
    // What one sample stands for.
    const double period = totals.weight_squared / static_cast<double>(totals.weight) * scale;
    for (const Place& place : profile_.places) {
      const double ns = static_cast<double>(place.counts[event].weight) * scale;
      // n samples of one period have the sum of squares n x period^2, which is ns x period.
      if (ns > 0)
        Add(place.address, place.caller, profile_.callers, place.thread, {ns, ns * period});
    }
  }

  /// Blocked time: the other part of the threads' time, with CSINK_WAIT.
  void AddWaits() {
    for (const WaitSite& site : profile_.waits.sites) {
      Add(InsideOf(site), site.caller, profile_.waits.callers, site.thread,
          {static_cast<double>(site.blocked_ns), site.blocked_squared});
    }
  }

  /// Whether the runtime started the thread: its start routine is in the runtime's library, or, of
  /// libgomp, the body of the region that it was started for (agent/threads/started_function.h).
  /// Other threads of a runtime that is linked statically are not recognised.
  bool IsWorker(std::uint32_t thread) const {
    if (thread >= profile_.threads.size()) return false;
    const CodeAddress& start = profile_.threads[thread].start_routine;
    if (start.module >= profile_.modules.size()) return false;
    return IsOpenMpRuntime(profile_.modules[start.module].path) ||
           IsOutlined(names_.Of(start).function);
  }

  /// Adds the time of one place, as soon as its region is known.
  void Add(const CodeAddress& address, std::uint32_t caller, const std::vector<Caller>& callers,
           std::uint32_t thread, const Time& time) {
    const bool is_worker = IsWorker(thread);
    const OpenMpMoment moment = chains_.Read(address, caller, callers, is_worker);
    if (moment.state == OpenMpState::kNothing) {
      // Of the program's own threads this is serial code, which no table of regions has.
      if (is_worker) outside_[thread].rest.Add(time);
    } else if (moment.region || moment.call.module == kNoModule) {
      AddMoment(moment, thread, time);
    } else {
      // The call's region may be told by a later chain.
      pending_.push_back({moment, thread, time});
    }
  }

  /// Adds the times whose regions only later chains contain. Requires that all chains were read.
  void AddPending() {
    for (Pending& pending : pending_) {
      pending.moment.region = chains_.RegionOfCall(pending.moment.call);
      // A wait for a region that was never sampled is no known barrier.
      if (!pending.moment.region) pending.moment.state = OpenMpState::kRuntime;
      AddMoment(pending.moment, pending.thread, pending.time);
    }
  }

  /// Adds a time to its region, or to the time of its thread outside of regions.
  void AddMoment(const OpenMpMoment& moment, std::uint32_t thread, const Time& time) {
    if (!moment.region) {
      Outside& outside = outside_[thread];
      switch (moment.state) {
        case OpenMpState::kIdle:
          return outside.idle.Add(time);
        case OpenMpState::kBarrier:
          return outside.barrier.Add(time);
        case OpenMpState::kBarrierOrIdle:
          return outside.either.Add(time);
        default:
          return outside.rest.Add(time);
      }
    }
    std::size_t state = kRuntime;
    if (moment.state == OpenMpState::kWork) state = kWork;
    if (moment.state == OpenMpState::kBarrier) state = kBarrier;
    if (moment.state == OpenMpState::kLock) state = kLock;
    in_regions_[{*moment.region, thread}][state].Add(time);
  }

  /// Whether the function only ran as a task. A function that was also called for a region counts
  /// as a region.
  bool IsTask(std::size_t region) const {
    const OutlinedFunction& row = chains_.regions()[region];
    return row.is_task && !row.is_region;
  }

  /// The index of a thread's process; all threads without a record are one.
  std::size_t ProcessOf(std::uint32_t thread) const {
    return thread < profile_.threads.size() ? profile_.threads[thread].process : ~std::size_t{0};
  }

  /// The time of the thread that was longest in a region, by region and process: about the time for
  /// which the region ran.
  using Longest = std::map<std::pair<std::size_t, std::size_t>, Time>;
  // By process, too: the teams of two processes are in a region for different times.
  Longest LongestOf() const {
    Longest longest;
    for (const auto& [key, states] : in_regions_) {
      Time& time = longest[{key.first, ProcessOf(key.second)}];
      const Time own = SumOf(states);
      if (own.ns > time.ns) time = own;
    }
    return longest;
  }

  /// Divides the time of the runtime's threads in last barriers among the regions in which they
  /// worked, by the time that they lack in them. Of the time in a barrier or idle, at most the
  /// lacking time was in barriers.
  void Divide() {
    if (profile_.callers.empty()) return;  // Work in called functions is missing in the regions
    const Longest longest = LongestOf();
    for (auto& [thread, outside] : outside_) {
      if (!IsWorker(thread)) continue;
      std::map<std::size_t, Time> lacking;
      double all = 0;
      for (const auto& [key, states] : in_regions_) {
        if (key.second != thread || IsTask(key.first)) continue;
        const Time& most = longest.at({key.first, ProcessOf(thread)});
        const Time own = SumOf(states);
        if (most.ns <= own.ns) continue;
        // The variance of a difference is the sum of both variances.
        lacking[key.first] = {most.ns - own.ns, most.squared + own.squared};
        all += most.ns - own.ns;
      }
      if (all <= 0) continue;
      // Time that was sampled in a last barrier fills the lacking time first; "either" fills the
      // rest of it at most.
      const double known = outside.barrier.ns;
      const double rest = std::clamp(all - known, 0.0, outside.either.ns);
      const Time divided_rest =
          outside.either.Part(outside.either.ns > 0 ? rest / outside.either.ns : 0);
      for (const auto& [region, time] : lacking) {
        const double part = time.ns / all;
        Time add = outside.barrier.Part(part);
        add.Add(divided_rest.Part(part));
        in_regions_[{region, thread}][kBarrier].Add(add);
        Divided& divided = divided_[region];
        divided.ns += add.ns;
        // The errors of the threads add up: all have the time of the longest one in common.
        divided.error_ns += std::sqrt(time.squared) * add.ns / time.ns;
      }
      outside.barrier = {};
      // Of the rest of the time nothing was lacking, so that the thread was idle.
      outside.idle.Add(
          outside.either.Part(outside.either.ns > 0 ? 1 - rest / outside.either.ns : 0));
      outside.either = {};
    }
  }

  /// Sums the threads of each region, and what all of them did outside of regions.
  OpenMpTables Finish() {
    OpenMpTables tables;
    std::map<std::size_t, OpenMpRegion> rows;
    std::map<std::size_t, ByState> sums;
    std::set<std::uint32_t> threads;
    Time whole;
    for (const auto& [key, states] : in_regions_) {
      OpenMpRegion& row = rows[key.first];
      ByState& sum = sums[key.first];
      for (std::size_t i = 0; i < kStates; ++i) sum[i].Add(states[i]);
      whole.Add(SumOf(states));
      // The imbalance compares this thread with the mean (OpenMpRegion::Imbalance).
      row.most_work_seconds = std::max(row.most_work_seconds, states[kWork].ns / 1e9);
      if (key.second < profile_.threads.size()) {
        ++row.threads;
        threads.insert(key.second);
      }
    }
    Outside all;
    for (const auto& [thread, outside] : outside_) {
      all.idle.Add(outside.idle);
      all.barrier.Add(outside.barrier);
      all.either.Add(outside.either);
      all.rest.Add(outside.rest);
      if (thread < profile_.threads.size()) threads.insert(thread);
    }
    // The shares outside of regions are of all time of these threads, in regions and outside.
    for (const Time* part : {&all.idle, &all.barrier, &all.either, &all.rest}) whole.Add(*part);
    // Before the rows are moved.
    FindLines(rows);
    for (auto& [index, row] : rows) {
      FinishRow(index, sums[index], row);
      tables.regions.push_back(std::move(row));
    }
    std::stable_sort(
        tables.regions.begin(), tables.regions.end(),
        [](const OpenMpRegion& a, const OpenMpRegion& b) { return a.seconds > b.seconds; });
    tables.seconds = whole.ns / 1e9;
    tables.threads = threads.size();
    tables.idle = CellOf(all.idle, whole);
    tables.barrier = CellOf(all.barrier, whole);
    tables.barrier_or_idle = CellOf(all.either, whole);
    tables.outside = CellOf(all.rest, whole);
    tables.has_callers = !profile_.callers.empty();
    tables.has_waits = profile_.waits.recorded();
    std::set<std::string> runtimes;
    for (const Module& module : profile_.modules) {
      if (!module.is_anonymous && IsOpenMpRuntime(module.path)) {
        runtimes.insert(DisplayName(module));
      }
    }
    tables.runtimes.assign(runtimes.begin(), runtimes.end());
    return tables;
  }

  /// The line of the first instruction of each region: that of its directive.
  void FindLines(std::map<std::size_t, OpenMpRegion>& rows) const {
    // By module: region by the file offset of its start.
    std::map<std::uint32_t, std::map<std::uint64_t, std::size_t>> starts;
    for (const auto& [index, row] : rows) {
      const CodeAddress& address = chains_.regions()[index].address;
      const symbolizer::Location& location = names_.Of(address);
      const std::uint64_t inside = location.vaddr - location.function_vaddr;
      // Damaged symbols: the file's addresses and offsets have the same distance only within a
      // segment.
      if (location.vaddr < location.function_vaddr || inside > address.offset) continue;
      starts[address.module][address.offset - inside] = index;
    }
    for (const auto& [module, regions] : starts) {
      std::vector<std::uint64_t> offsets;
      for (const auto& [offset, index] : regions) offsets.push_back(offset);
      const symbolizer::ModuleAnswer answer =
          resolve_(RequestOf(profile_.modules[module], offsets, symbolizer::Detail::kLines));
      std::size_t i = 0;
      for (const auto& [offset, index] : regions) {
        if (i >= answer.locations.size()) break;
        rows[index].file = answer.locations[i].file;
        rows[index].line = answer.locations[i].line;
        ++i;
      }
    }
  }

  /// Fills a row from the sums of its threads.
  void FinishRow(std::size_t index, const ByState& sum, OpenMpRegion& row) const {
    const OutlinedFunction& outlined = chains_.regions()[index];
    const Time whole = SumOf(sum);
    row.function = outlined.function;
    row.in = outlined.in;
    row.module = DisplayName(profile_.modules[outlined.address.module]);
    row.is_task = IsTask(index);
    row.seconds = whole.ns / 1e9;
    row.work = CellOf(sum[kWork], whole);
    row.barrier = CellOf(sum[kBarrier], whole);
    row.lock = CellOf(sum[kLock], whole);
    row.runtime = CellOf(sum[kRuntime], whole);
    if (row.threads > 0) {
      row.mean_work_seconds = row.work.seconds / static_cast<double>(row.threads);
    }
    const auto divided = divided_.find(index);
    if (divided == divided_.end()) return;
    row.divided_seconds = divided->second.ns / 1e9;
    // The divided time is in the barrier and in the whole of the row, so that both shares depend on
    // it.
    Widen(row.work, whole, divided->second.error_ns);
    Widen(row.barrier, whole, divided->second.error_ns);
  }

  const Profile& profile_;
  const Names& names_;
  const Resolver& resolve_;
  OpenMpChains chains_;
  std::map<Key, ByState> in_regions_;
  std::map<std::uint32_t, Outside> outside_;
  std::vector<Pending> pending_;
  std::map<std::size_t, Divided> divided_;  ///< By region
};

/// Whether chains are worth reading: most programs do not use OpenMP.
bool HasOpenMp(const Report& report) {
  const auto is_runtime = [](const Module& module) {
    return !module.is_anonymous && IsOpenMpRuntime(module.path);
  };
  const auto is_function = [](const auto& row) {
    return IsOpenMpFunction(row.function) || IsOutlined(row.function);
  };
  return std::any_of(report.profile.modules.begin(), report.profile.modules.end(), is_runtime) ||
         std::any_of(report.functions.begin(), report.functions.end(), is_function) ||
         std::any_of(report.call_functions.begin(), report.call_functions.end(), is_function);
}

}  // namespace

std::optional<OpenMpTables> MakeOpenMp(const Report& report, const Names& names,
                                       const Resolver& resolve) {
  if (!HasOpenMp(report)) return std::nullopt;
  return Builder(report.profile, names, resolve).Run();
}

std::string RegionName(const OpenMpRegion& region) {
  if (region.line == 0) return region.function;
  return BaseName(region.file) + ":" + std::to_string(region.line);
}

}  // namespace csink::report

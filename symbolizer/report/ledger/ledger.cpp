#include "symbolizer/report/ledger/ledger.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/ledger/profile_losses.h"
#include "symbolizer/report/wording/modifiers.h"
#include "symbolizer/report/wording/numbers.h"

/// File: two accounts. Inside of profiles: the CPU time in which samples were possible, less the
/// samples, goes to the losses that the agent recorded (profile_losses.h). Outside: the rest of
/// what the processes used goes to the facts that were recorded of processes. Both end with
/// kUnknown.

namespace csink::report {
namespace {

/// Takes parts from a rest and adds them to rows.
class Account {
 public:
  Account(std::uint64_t rest_ns, Where where, std::vector<Remainder>& rows)
      : rest_ns_(rest_ns), where_(where), rows_(rows) {}

  /// Gives `ns`, or as much as is left, to a cause.
  void Take(Cause cause, std::uint64_t ns, Evidence evidence = {}, std::uint64_t processes = 0) {
    const std::uint64_t taken = std::min(ns, rest_ns_);
    if (taken == 0) return;
    rest_ns_ -= taken;
    for (Remainder& row : rows_) {
      if (row.cause != cause || row.where != where_ || row.evidence.program != evidence.program ||
          row.evidence.error != evidence.error || row.evidence.status != evidence.status) {
        continue;
      }
      row.seconds += Seconds(taken);
      row.processes += processes;
      AddTo(row.evidence.count, evidence.count);
      return;
    }
    rows_.push_back({cause, std::move(evidence), Seconds(taken), processes, where_});
  }
  std::uint64_t rest_ns() const { return rest_ns_; }

 private:
  std::uint64_t rest_ns_;
  Where where_;
  std::vector<Remainder>& rows_;
};

Cause CauseOf(spool::Refusal why) {
  switch (why) {
    case spool::Refusal::kStatic:
      return Cause::kStatic;
    case spool::Refusal::kSetId:
      return Cause::kSetId;
    case spool::Refusal::kCapabilities:
      return Cause::kCapabilities;
    case spool::Refusal::kOtherMachine:
      return Cause::kOtherMachine;
    case spool::Refusal::kNoEnvironment:
      return Cause::kNoEnvironment;
    case spool::Refusal::kMusl:
      return Cause::kMusl;
    case spool::Refusal::kNone:
      break;
  }
  return Cause::kUnknown;
}

Cause CauseOf(spool::LeftOut why) {
  switch (why) {
    case spool::LeftOut::kExcluded:
      return Cause::kExcluded;
    case spool::LeftOut::kSpoolRefused:
      return Cause::kSpoolRefused;
    case spool::LeftOut::kNone:
      break;
  }
  return Cause::kUnknown;
}

/// A cause that was recorded of a process.
struct Found {
  Cause cause = Cause::kUnknown;
  Evidence evidence;
};

/// The last fact that was recorded of process `pid` between the moments, why it is not in the
/// profile.
Found FactOf(const TreeEvidence& evidence, std::uint32_t pid, std::uint64_t first,
             std::uint64_t last) {
  Found found;
  std::uint64_t latest = 0;
  const auto counts = [&](std::uint32_t of, std::uint64_t when) {
    if (of != pid || (when != 0 && (when < first || when > last))) return false;
    return when >= latest;
  };
  for (const RefusedExec& exec : evidence.refused) {
    if (!counts(exec.pid, exec.monotonic_ns)) continue;
    latest = exec.monotonic_ns;
    found = {CauseOf(exec.why), {.program = exec.program}};
  }
  for (const LeftOutProcess& process : evidence.left_out) {
    if (!counts(process.pid, process.monotonic_ns)) continue;
    latest = process.monotonic_ns;
    found = {CauseOf(process.why), {.program = process.program, .error = process.error}};
    // One row for all: the settings name the programs.
    if (found.cause == Cause::kExcluded) found.evidence.program.clear();
  }
  return found;
}

/// What the process did behind the agent's last reading.
Found EndOf(const ProcessTime& process, const std::vector<TreeEvidence>& trees) {
  const ProcessRow& last = process.last();
  // The agent reads no clock there.
  if (last.evidence.sandbox_monotonic_ns != 0) return {Cause::kSandbox, {}};
  if (last.end == spool::End::kExec && last.state == ProcessState::kComplete) {
    const std::uint64_t end = last.wait_monotonic_ns != 0 ? last.wait_monotonic_ns : ~0ull;
    for (const TreeEvidence& tree : trees) {
      if (tree.tree_id == last.tree_id) {
        return FactOf(tree, last.pid, last.start_monotonic_ns, end);
      }
    }
    return {};
  }
  switch (last.state) {
    case ProcessState::kComplete:
      return {Cause::kAfterLastReading, {}};
    case ProcessState::kKilled:
      return {Cause::kKilled, {.status = last.wait_status}};
    case ProcessState::kExited:
      return {Cause::kExited, {.status = last.wait_status}};
    case ProcessState::kLive:
    case ProcessState::kUnknown:
      break;
  }
  return {};
}

/// The most CPU time that the process itself can have used between its last reading and the return
/// of the wait for it. More is of descendants that nobody recorded.
std::uint64_t MostBehindNs(const ProcessTime& process) {
  const ProcessRow& last = process.last();
  if (last.wait_monotonic_ns == 0 || last.processes > 1) return ~std::uint64_t{0};
  // The clocks of a reading are read one after the other.
  constexpr double kReadingNs = 1e6;
  const auto gap_ns =
      static_cast<double>(SaturatingSubtract(last.wait_monotonic_ns, last.update_monotonic_ns));
  const double most_ns = gap_ns * std::max(last.threads_seen, 1u) + kReadingNs;
  return most_ns < 1e18 ? static_cast<std::uint64_t>(most_ns) : ~std::uint64_t{0};
}

/// The part of the time that no profile covers: before the agent, behind its readings, and
/// processes without a profile.
void TakeOutside(const Profile& profile, const ProcessTimes& times, Account& account) {
  for (const ProcessTime& process : times.profiled) {
    if (process.behind.TotalNs() == 0) continue;
    Found found = EndOf(process, profile.tree_evidence);
    account.Take(found.cause, std::min(process.behind.TotalNs(), MostBehindNs(process)),
                 std::move(found.evidence), 1);
  }
  for (const UnprofiledTime& process : times.unprofiled) {
    const std::uint64_t end = process.end->monotonic_ns != 0 ? process.end->monotonic_ns : ~0ull;
    Found found = FactOf(*process.tree, process.end->pid, 0, end);
    account.Take(found.cause, process.own.TotalNs(), std::move(found.evidence), 1);
  }
  account.Take(Cause::kUnknown, account.rest_ns());
}

/// The losses while processes were sampled.
void TakeInside(const Profile& profile, std::uint64_t judged_ns, const EventTotals* clock,
                Account& account) {
  if (!clock) return account.Take(Cause::kNotCompared, judged_ns);
  const bool one_mark = !profile.only_phase.empty();
  for (const ProfileLoss& loss : LossesOf(profile)) {
    // Processes have their samples of all marks.
    if (one_mark && loss.cause == Cause::kFewSamples) continue;
    account.Take(loss.cause, loss.ns, {.count = loss.count}, loss.processes);
  }
  if (one_mark) {
    account.Take(Cause::kNotCompared, account.rest_ns(), {.program = profile.only_phase});
  }
  account.Take(Cause::kUnknown, account.rest_ns());
}

}  // namespace

double Ledger::SecondsOf(Cause cause) const noexcept {
  double sum = 0;
  for (const Remainder& row : remainders) sum += row.cause == cause ? row.seconds : 0;
  return sum;
}

double Ledger::SecondsOf(Where where) const noexcept {
  double sum = 0;
  for (const Remainder& row : remainders) sum += row.where == where ? row.seconds : 0;
  return sum;
}

double Ledger::SecondsOf(Cause cause, Where where) const noexcept {
  double sum = 0;
  for (const Remainder& row : remainders) {
    sum += row.cause == cause && row.where == where ? row.seconds : 0;
  }
  return sum;
}

const EventTotals* ClockOf(const Profile& profile) {
  for (const EventTotals& event : profile.events) {
    if (event.kind == EventClass::kClock) return &event;
  }
  return nullptr;
}

bool SystemIsSampled(const Profile& profile) {
  for (const ProcessRow& process : profile.processes) {
    // CPU timers run on user and system time (docs/sampling.md).
    if (process.source == spool::Source::kTimer) return true;
  }
  const EventTotals* clock = ClockOf(profile);
  if (clock) return PrivilegeModifiers(clock->name).find('k') != std::string::npos;
  return !profile.events.empty() &&
         PrivilegeModifiers(profile.events[0].name).find('k') != std::string::npos;
}

Ledger MakeLedger(const Profile& profile) {
  Ledger ledger;
  const ProcessTimes times = MakeProcessTimes(profile);
  ledger.processes = times.processes;
  ledger.unprofiled_processes = times.unprofiled.size();
  // Of all that is known of user and of system time, the larger is nearer to the truth: wait4(2)
  // lacks processes that nobody waited for, and the readings lack the ends of processes.
  CpuTime all = times.read;
  for (const ProcessTime& process : times.profiled) all.Add(process.behind);
  for (const UnprofiledTime& process : times.unprofiled) all.Add(process.own);
  if (profile.tree.known) {
    all.user_ns = std::max(all.user_ns, profile.tree.user_ns);
    all.system_ns = std::max(all.system_ns, profile.tree.system_ns);
  }
  // The inherited counter has the sum alone.
  const std::uint64_t undivided_ns =
      profile.tree.known ? SaturatingSubtract(profile.tree.counted_ns, all.TotalNs()) : 0;
  const std::uint64_t cpu_ns = SaturatingAdd(all.TotalNs(), undivided_ns);
  ledger.user_seconds = Seconds(all.user_ns);
  ledger.system_seconds = Seconds(all.system_ns);
  ledger.undivided_seconds = Seconds(undivided_ns);
  ledger.cpu_seconds = Seconds(cpu_ns);

  const ProfiledTime profiled = DivideProfiled(profile, times);
  const EventTotals* clock = ClockOf(profile);
  ledger.has_clock = clock != nullptr;
  ledger.judged_seconds = Seconds(profiled.judged_ns);
  // A profile of one mark has a part of the samples of the time.
  const std::uint64_t explained_ns = clock ? std::min(clock->weight, profiled.judged_ns) : 0;
  ledger.explained_seconds = Seconds(explained_ns);
  ledger.profiler_seconds = Seconds(profiled.profiler_ns);
  if (profiled.interrupt_ns != 0) ledger.interrupt_seconds = Seconds(profiled.interrupt_ns);

  Account of_readings(SaturatingSubtract(times.read.TotalNs(), profiled.judged_ns), Where::kBeside,
                      ledger.remainders);
  of_readings.Take(Cause::kPaused, profiled.paused_ns);
  of_readings.Take(Cause::kProfiler, profiled.profiler_start_ns);
  of_readings.Take(Cause::kBeforeAgent, profiled.before_agent_ns);
  of_readings.Take(Cause::kSystemTime, profiled.system_ns);
  of_readings.Take(Cause::kUnknown, of_readings.rest_ns());
  Account inside(profiled.judged_ns - explained_ns, Where::kSampled, ledger.remainders);
  TakeInside(profile, profiled.judged_ns, clock, inside);
  Account outside(SaturatingSubtract(cpu_ns, times.read.TotalNs()), Where::kOutside,
                  ledger.remainders);
  TakeOutside(profile, times, outside);

  ledger.unknown_seconds = ledger.SecondsOf(Cause::kUnknown);
  std::stable_sort(ledger.remainders.begin(), ledger.remainders.end(),
                   [](const Remainder& a, const Remainder& b) { return a.seconds > b.seconds; });
  return ledger;
}

}  // namespace csink::report

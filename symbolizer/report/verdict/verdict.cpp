#include "symbolizer/report/verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profil/model/saturating.h"
#include "symbolizer/report/verdict/killed.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

/// File: judges a profile. Judge starts with the best grade and lets each finding lower it (Limit),
/// so the order of the findings does not matter for the grade; it is the order of the notes. What
/// is compared: the clock event's samples with the CPU time that the kernel measured, each
/// counter's running time with the time in which it was due (explained.h), and losses with what was
/// kept. CPU times of one process are cumulative over its images.

namespace csink::report {
namespace {

/// Limits of the grades, as docs/json.md and verdict.h state them.
constexpr double kGoodShare = 0.95;
constexpr double kFairShare = 0.80;
/// With fewer samples, shares are too uncertain for "good".
constexpr std::uint64_t kFewSamples = 100;

/// The first clock event; nullptr if none was sampled.
const EventTotals* ClockColumn(const Profile& profile) {
  for (const EventTotals& event : profile.events) {
    if (event.kind == EventClass::kClock) return &event;
  }
  return nullptr;
}

/// Lowers `grade` to `ceiling` if it is better. kShort stays: a run that is too short is not
/// judged.
void Limit(Grade& grade, Grade ceiling) {
  if (grade != Grade::kShort && grade < ceiling) grade = ceiling;
}

/// The lost part of all samples, 0..1. 0 if there were none.
double LostPart(std::uint64_t lost, std::uint64_t kept) {
  const double all = static_cast<double>(lost) + static_cast<double>(kept);
  return all > 0 ? static_cast<double>(lost) / all : 0;
}

/// CPU time of a process in which samples could be expected: after its agent was ready, less
/// pauses. In nanoseconds. The subtractions stop at 0.
std::uint64_t JudgedNs(const ProcessRow& process, bool of_user_time) {
  std::uint64_t judged = SaturatingSubtract(process.user_ns, process.start_user_ns);
  if (!of_user_time) {
    AddTo(judged, SaturatingSubtract(process.system_ns, process.start_system_ns));
  }
  return SaturatingSubtract(judged, process.paused_ns);
}

/// Upper bound for the time, in nanoseconds, that a context switch adds to user mode in the
/// kernel's accounts, because the event's timer is stopped and started: 7 us were measured in a
/// virtual machine (docs/long-run.md).
constexpr std::uint64_t kMostOfASwitchNs = 20'000;
/// With fewer switches in a second of CPU time, the effect is not mentioned.
constexpr std::uint64_t kManySwitches = 5'000;

/// The part of `rest`, in nanoseconds, that context switches may have used. 0 if they do not
/// explain it. Only for samples from perf events (rings).
std::uint64_t SwitchingNs(const ProcessRow& process, std::uint64_t rest) {
  if (process.source != spool::Source::kRing) return 0;
  const auto switches = static_cast<double>(process.switches);
  if (switches < kManySwitches * Seconds(JudgedNs(process, /*of_user_time=*/false))) return 0;
  return static_cast<double>(rest) <= switches * kMostOfASwitchNs ? rest : 0;
}

/// Moves parts of the unexplained rest to causes that are known only afterwards: events that the
/// program switched off, threads that the agent never saw, and context switches. Each cause gets at
/// most what the causes before it left, because the clock may count user time only, or there may be
/// no clock event.
void NameTheUnexplained(const ProcessRow& process, Verdict& verdict) {
  std::uint64_t rest = process.lost_ns[static_cast<std::size_t>(spool::Loss::kUnexplained)];
  const std::uint64_t off = std::min(rest, process.switched_off_ns);
  rest -= off;
  const std::uint64_t unseen = std::min(rest, process.unseen_ns);
  rest -= unseen;
  const std::uint64_t switching = SwitchingNs(process, rest);
  const std::uint64_t named = off + unseen + switching;
  verdict.switching_seconds += Seconds(switching);
  AddTo(verdict.switches, process.switches);
  // Never below 0: each part was at most what the parts before it left.
  verdict.lost_seconds[static_cast<std::size_t>(spool::Loss::kUnexplained)] -= Seconds(named);
  verdict.switched_off_seconds += Seconds(off);
  // The whole time of unseen threads is shown, although only a part of it may be user time.
  verdict.unseen_seconds += Seconds(process.unseen_ns);
}

/// Sums the counters of all events and processes.
void AddTotals(const Profile& profile, Verdict& verdict) {
  for (const EventTotals& event : profile.events) {
    AddTo(verdict.samples, event.samples);
    AddTo(verdict.lost_records, event.lost_records);
    AddTo(verdict.throttled, event.throttled);
    AddTo(verdict.unplaced, event.unplaced);
    // The event that lost most is shown; the notes name all (NoCounterNote).
    if (event.enabled_ns > 0 && event.running_ns < event.enabled_ns) {
      const double part =
          static_cast<double>(event.running_ns) / static_cast<double>(event.enabled_ns);
      // Events are not started and stopped at exactly the same time; differences below 0.1 % are
      // not multiplexing.
      if (part < 0.999) verdict.multiplexed = std::min(part, verdict.multiplexed.value_or(1));
    }
  }
  for (const ProcessRow& process : profile.processes) {
    for (std::size_t i = 0; i < spool::kLossCauses; ++i) {
      verdict.lost_seconds[i] += Seconds(process.lost_ns[i]);
    }
    NameTheUnexplained(process, verdict);
    verdict.threads_seen += process.threads_seen;
    verdict.threads_sampled += process.threads_sampled;
    verdict.paused_seconds += Seconds(process.paused_ns);
    AddTo(verdict.bad_stacks, process.bad_stacks);
  }
}

/// Number of problems of spools with a line of their own. A single further problem is printed as
/// well, instead of a line that only counts it.
constexpr std::size_t kMostProblems = 10;

/// Notes the damage of spools, which the reader of spools has described.
void AddProblems(const Profile& profile, Verdict& verdict) {
  const std::size_t all = profile.problems.size();
  const std::size_t listed = all > kMostProblems + 1 ? kMostProblems : all;
  for (std::size_t i = 0; i < listed; ++i) verdict.notes.push_back(profile.problems[i]);
  if (listed < all) verdict.notes.push_back("damage in " + Grouped(all - listed) + " more places");
}

/// Notes about processes that died, still run, were frozen or could not be followed, and about
/// damaged spools.
void AddNotes(const Profile& profile, Verdict& verdict) {
  std::size_t live = 0;
  for (const ProcessRow& process : profile.processes) {
    live += process.state == ProcessState::kLive;
    if (process.frozen) {
      verdict.notes.push_back("pid " + std::to_string(process.pid) +
                              " entered a sandbox: its spool could not grow after that");
    }
  }
  if (std::string note = KilledNote(profile); !note.empty()) {
    verdict.notes.push_back(std::move(note));
  }
  if (live > 0) {
    verdict.notes.push_back(live == profile.processes.size() && live == 1
                                ? "the program still runs: this is a snapshot"
                                : Count(live, "process still runs", "processes still run") +
                                      ": a snapshot");
  }
  for (const NotFollowedRow& row : profile.not_followed) {
    verdict.notes.push_back("not followed: " + row.program + " " + row.why +
                            (row.times > 1 ? " (" + std::to_string(row.times) + " times)" : ""));
  }
  AddProblems(profile, verdict);
}

/// Lowers the grade according to the part of `share` that is missing.
void LimitByShare(Grade& grade, double share) {
  if (share < kGoodShare) Limit(grade, Grade::kFair);
  if (share < kFairShare) Limit(grade, Grade::kPoor);
}

/// How much a throttled event did not count, and a rate that would avoid it.
std::string ThrottleNote(const Explained& event) {
  std::string note = event.event + " was throttled: the kernel stopped the event for " +
                     Percent(event.throttled_part) + " of the CPU time";
  if (event.fitting_hz == 0) return note;
  // Half of the limit (docs/design/sampling.md).
  const std::string rate = std::to_string(event.fitting_hz) + "Hz";
  return note + "; the kernel allows " + Grouped(2 * event.fitting_hz) +
         " samples a second (kernel.perf_event_max_sample_rate): " +
         (event.has_fixed_period ? "use " + event.event + "@" + rate
                                 : "the limit was lowered while the program ran, " + event.event +
                                       "@" + rate + " is within the limit");
}

/// The events that had to wait for a hardware counter, in one sentence with their range of lost
/// time. "" if none lost more than 1 % of it. Events that never counted have a note of their own.
std::string NoCounterNote(const std::vector<Explained>& events) {
  std::string names;
  double least = 1;
  double most = 0;
  for (const Explained& event : events) {
    const double off = 1 - event.running_part;
    if (off <= 0.01 || event.running_part == 0) continue;
    names += (names.empty() ? "" : ", ") + event.event;
    least = std::min(least, off);
    most = std::max(most, off);
  }
  if (names.empty()) return "";
  const bool differ = Percent(least) != Percent(most);
  return names + " had no counter for " + (differ ? Percent(least) + " to " : "") + Percent(most) +
         " of the CPU time: there are more events than counters, or another program uses counters; "
         "counts are scaled up";
}

/// Lowers the grade by the worst event that needs a counter, and notes why events did not count.
void JudgeCounters(const Profile& profile, Verdict& verdict) {
  for (const EventTotals& event : profile.events) {
    const std::optional<Explained> explained = Explain(event);
    if (!explained) continue;
    verdict.counters.push_back(*explained);
    LimitByShare(verdict.grade, explained->share);
    if (explained->throttled_part > 0.001) verdict.notes.push_back(ThrottleNote(*explained));
    if (explained->running_part == 0) {
      verdict.notes.push_back(explained->event +
                              " counted nothing: other programs hold the counters, or this "
                              "processor does not have the event (csink doctor)");
    }
  }
  const std::string waited = NoCounterNote(verdict.counters);
  if (!waited.empty()) verdict.notes.push_back(waited);
}

/// Whether the user's settings exclude processes of the tree. The settings are in each spool as the
/// agent wrote them.
bool LeavesOut(const Profile& profile) {
  const auto chosen = [](const ProcessRow& process) {
    for (const char* name :
         {"CSINK_INCLUDE=", "CSINK_EXCLUDE=", "CSINK_FOLLOW='none'", "CSINK_FOLLOW='fork'"}) {
      if (process.configuration.find(name) != std::string::npos) return true;
    }
    return false;
  };
  return std::any_of(profile.processes.begin(), profile.processes.end(), chosen);
}

/// Judges the CPU time of the tree's processes without a spool: what `csink run` measured less what
/// the spools contain. Nothing is judged if the user excluded programs, and below 1 % or 10 ms
/// nothing is said. A run of which most is missing is not "short", also where the rest is.
void JudgeTree(const Profile& profile, Verdict& verdict) {
  if (!profile.tree.known) return;
  const CpuSeconds seen = TotalCpu(profile);
  const double waited_for = Seconds(profile.tree.user_ns) + Seconds(profile.tree.system_ns);
  // The inherited counter lacks what happens before execve and at the exit, so it may be smaller.
  const double all = std::max(waited_for, Seconds(profile.tree.counted_ns));
  const double missing = all - seen.user - seen.system;
  if (missing < 0.01 || missing < 0.01 * all) return;
  verdict.unprofiled_seconds = missing;
  const bool chosen = LeavesOut(profile);
  verdict.notes.push_back(
      FixedText(missing, 2) + " s of the tree's CPU time (" + Percent(missing / all) +
      ") was used " + EndsOfKilled(profile) + "by processes without a profile: " +
      (chosen ? "excluded by the settings, " : "") + "too short, static or setuid" +
      // Processes without a wait call of their parent: killed with their pid namespace, or SIGCHLD
      // is ignored.
      (all - waited_for > 0.01 * all ? ", or in a sandbox" : ""));
  if (chosen) return;
  // What no profile contains lowers the grade together with what the profiles do not explain.
  LimitByShare(verdict.grade, verdict.explained_share.value_or(1) * (1 - missing / all));
  if (missing > 0.20 * all && all >= kLeastJudgedSeconds) verdict.grade = Grade::kPoor;
}

}  // namespace

CpuSeconds TotalCpu(const Profile& profile) {
  using Key = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  std::map<Key, std::pair<std::uint64_t, std::uint64_t>> lineages;
  for (const ProcessRow& process : profile.processes) {
    // Images of one process count from its start, so the largest value is that of the process.
    auto& [user, system] = lineages[{process.host, process.pid, process.start_ticks}];
    user = std::max(user, process.user_ns);
    system = std::max(system, process.system_ns);
  }
  CpuSeconds total;
  for (const auto& [key, time] : lineages) {
    total.user += Seconds(time.first);
    total.system += Seconds(time.second);
  }
  return total;
}

bool SystemIsSampled(const Profile& profile) {
  for (const ProcessRow& process : profile.processes) {
    // CPU timers run on user and system time (docs/sampling.md).
    if (process.source == spool::Source::kTimer) return true;
  }
  const EventTotals* clock = ClockColumn(profile);
  if (clock) return PrivilegeModifiers(clock->name).find('k') != std::string::npos;
  return !profile.events.empty() &&
         PrivilegeModifiers(profile.events[0].name).find('k') != std::string::npos;
}

Verdict Judge(const Profile& profile) {
  Verdict verdict;
  AddTotals(profile, verdict);
  verdict.grade = Grade::kGood;
  verdict.of_user_time = !SystemIsSampled(profile);

  std::uint64_t judged_ns = 0;
  std::uint64_t agent_ns = 0;
  for (const ProcessRow& process : profile.processes) {
    AddTo(judged_ns, JudgedNs(process, verdict.of_user_time));
    AddTo(agent_ns, process.agent_ns);
  }
  verdict.judged_seconds = Seconds(judged_ns);
  const CpuSeconds total = TotalCpu(profile);
  if (total.user + total.system > 0) {
    verdict.agent_share = std::min(1.0, Seconds(agent_ns) / (total.user + total.system));
  }

  // Samples of one mark cannot be compared with the CPU time of the whole run.
  if (!profile.only_phase.empty()) {
    verdict.grade = verdict.samples < kFewSamples ? Grade::kFair : Grade::kGood;
    verdict.notes.push_back("only samples after the mark \"" + profile.only_phase +
                            "\"; CPU time, losses and threads are those of the whole run");
  } else if (const EventTotals* clock = ClockColumn(profile)) {
    if (verdict.judged_seconds < kLeastJudgedSeconds) {
      verdict.grade = Grade::kShort;
    } else {
      const double share = std::min(1.0, Seconds(clock->weight) / verdict.judged_seconds);
      verdict.explained_share = share;
      verdict.of_clock = true;
      LimitByShare(verdict.grade, share);
    }
  } else if (verdict.threads_sampled < verdict.threads_seen) {
    Limit(verdict.grade, Grade::kFair);
    if (verdict.threads_sampled < 0.8 * static_cast<double>(verdict.threads_seen)) {
      Limit(verdict.grade, Grade::kPoor);
    }
  }
  // Lost and unplaced samples are different samples; the larger part decides.
  const double lost = std::max(LostPart(verdict.lost_records, verdict.samples),
                               LostPart(verdict.unplaced, verdict.samples));
  if (lost > 0.01) Limit(verdict.grade, Grade::kFair);
  if (lost > 0.10) Limit(verdict.grade, Grade::kPoor);
  const double all = total.user + total.system;
  if (verdict.unseen_seconds > 0.05 * all) Limit(verdict.grade, Grade::kFair);
  if (verdict.unseen_seconds > 0.20 * all) Limit(verdict.grade, Grade::kPoor);
  if (verdict.samples < kFewSamples) Limit(verdict.grade, Grade::kFair);
  // Also for a run that is too short: there is nothing to show, unless it waited and was observed.
  const bool shows_waits = verdict.grade == Grade::kShort && !profile.waits.sites.empty();
  if (verdict.samples == 0 && !shows_waits) verdict.grade = Grade::kPoor;
  if (verdict.multiplexed.value_or(1) < 0.5) Limit(verdict.grade, Grade::kFair);
  JudgeCounters(profile, verdict);
  // Without a clock, the event that is explained least speaks for the profile.
  if (!ClockColumn(profile)) {
    for (const Explained& event : verdict.counters) {
      verdict.explained_share = std::min(event.share, verdict.explained_share.value_or(1));
    }
  }
  JudgeTree(profile, verdict);
  verdict.wall = WallOffCpu(profile);
  verdict.division = DivideWall(profile);
  AddNotes(profile, verdict);
  return verdict;
}

}  // namespace csink::report

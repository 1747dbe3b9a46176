#include "symbolizer/report/verdict/verdict.h"

#include <algorithm>
#include <cmath>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/verdict/killed.h"
#include "symbolizer/report/verdict/ledger_lines.h"
#include "symbolizer/report/verdict/limits_reached.h"
#include "symbolizer/report/verdict/python_note.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

/// File: judges a profile. Judge starts with the best grade and lets each finding lower it (Limit),
/// so the order of the findings does not matter for the grade; it is the order of the notes. What
/// is compared: the clock event's samples with the CPU time that the kernel measured, each
/// counter's running time with the time in which it was due (explained.h), and losses with what was
/// kept. CPU times of one process are cumulative over its images.

namespace csink::report {
namespace {

/// Limits of the grades, as docs/guide.md and verdict.h state them.
constexpr double kGoodShare = 0.95;
constexpr double kFairShare = 0.80;
/// With fewer samples, shares are too uncertain for "good".
constexpr std::uint64_t kFewSamples = 100;

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
    AddTo(verdict.switches, process.switches);
    verdict.threads_seen += process.threads_seen;
    verdict.threads_sampled += process.threads_sampled;
    verdict.paused_seconds += Seconds(process.paused_ns);
    AddTo(verdict.bad_stacks, process.bad_stacks);
  }
}

/// Copies the ledger's remainders into the members that have a name of their own.
void AddLosses(Verdict& verdict) {
  const Ledger& ledger = verdict.ledger;
  const auto lost = [&verdict](spool::Loss cause) -> double& {
    return verdict.lost_seconds[static_cast<std::size_t>(cause)];
  };
  lost(spool::Loss::kNoRing) = ledger.SecondsOf(Cause::kNoRing);
  lost(spool::Loss::kBlockedDrain) = ledger.SecondsOf(Cause::kFullRing);
  lost(spool::Loss::kShortThread) = ledger.SecondsOf(Cause::kShortThreads);
  lost(spool::Loss::kUnexplained) = ledger.SecondsOf(Cause::kUnknown, Where::kSampled);
  verdict.unseen_seconds = ledger.SecondsOf(Cause::kLateThreads);
  verdict.switched_off_seconds = ledger.SecondsOf(Cause::kSwitchedOff);
  verdict.switching_seconds = ledger.SecondsOf(Cause::kSwitches);
  verdict.judged_seconds = ledger.judged_seconds;
  if (ledger.cpu_seconds > 0) {
    verdict.agent_share = std::min(1.0, ledger.profiler_seconds / ledger.cpu_seconds);
    if (ledger.interrupt_seconds) {
      verdict.interrupt_share = std::min(1.0, *ledger.interrupt_seconds / ledger.cpu_seconds);
    }
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
  for (std::string& note : LimitNotes(profile)) verdict.notes.push_back(std::move(note));
  if (std::string note = PythonNote(profile); !note.empty()) {
    verdict.notes.push_back(std::move(note));
  }
  for (std::string& note : UnseenEndNotes(profile)) verdict.notes.push_back(std::move(note));
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
                              (event.running_ns == 0 ? " had no counter" : " counted nothing") +
                              "; csink doctor tests what can be counted");
    }
  }
  const std::string waited = NoCounterNote(verdict.counters);
  if (!waited.empty()) verdict.notes.push_back(waited);
}

/// Judges the CPU time that no profile contains. Below 1 % or 10 ms nothing is said. What the user
/// excluded lowers no grade. A run of which most is missing is not "short", also where the rest is.
void JudgeTree(Verdict& verdict) {
  const Ledger& ledger = verdict.ledger;
  const double all = ledger.cpu_seconds;
  const double outside = ledger.SecondsOf(Where::kOutside);
  if (outside < 0.01 || outside < 0.01 * all) return;
  verdict.unprofiled_seconds = outside;
  verdict.notes.push_back(OutsideNote(ledger));
  const double missing = outside - ledger.SecondsOf(Cause::kExcluded);
  if (missing < 0.01 || missing < 0.01 * all) return;
  // What no profile contains lowers the grade together with what the profiles do not explain.
  LimitByShare(verdict.grade, verdict.explained_share.value_or(1) * (1 - missing / all));
  if (missing > 0.20 * all && all >= kLeastJudgedSeconds) verdict.grade = Grade::kPoor;
}

}  // namespace

Verdict Judge(const Profile& profile) {
  Verdict verdict;
  verdict.ledger = MakeLedger(profile);
  AddTotals(profile, verdict);
  AddLosses(verdict);
  verdict.grade = Grade::kGood;
  verdict.of_user_time = !SystemIsSampled(profile);

  // Samples of one mark cannot be compared with the CPU time of the whole run.
  if (!profile.only_phase.empty()) {
    verdict.grade = verdict.samples < kFewSamples ? Grade::kFair : Grade::kGood;
    verdict.notes.push_back("only samples after the mark \"" + profile.only_phase +
                            "\"; CPU time, losses and threads are those of the whole run");
  } else if (verdict.ledger.has_clock) {
    if (verdict.judged_seconds < kLeastJudgedSeconds) {
      verdict.grade = Grade::kShort;
    } else {
      const double share = verdict.ledger.explained_seconds / verdict.judged_seconds;
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
  const double all = verdict.ledger.cpu_seconds;
  if (verdict.unseen_seconds > 0.05 * all) Limit(verdict.grade, Grade::kFair);
  if (verdict.unseen_seconds > 0.20 * all) Limit(verdict.grade, Grade::kPoor);
  if (verdict.samples < kFewSamples) Limit(verdict.grade, Grade::kFair);
  // Also for a run that is too short: there is nothing to show, unless it waited and was observed.
  const bool shows_waits = verdict.grade == Grade::kShort && !profile.waits.sites.empty();
  if (verdict.samples == 0 && !shows_waits) verdict.grade = Grade::kPoor;
  if (verdict.multiplexed.value_or(1) < 0.5) Limit(verdict.grade, Grade::kFair);
  JudgeCounters(profile, verdict);
  // Without a clock, the event that is explained least speaks for the profile.
  if (!verdict.ledger.has_clock) {
    for (const Explained& event : verdict.counters) {
      verdict.explained_share = std::min(event.share, verdict.explained_share.value_or(1));
    }
  }
  JudgeTree(verdict);
  verdict.wall = WallOffCpu(profile);
  verdict.division = DivideWall(profile);
  AddNotes(profile, verdict);
  return verdict;
}

}  // namespace csink::report

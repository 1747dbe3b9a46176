#include "symbolizer/report/findings/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "symbolizer/report/tables/hottest_line.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: a function for each kind of finding. Each looks at one table of the report and adds at
/// most one finding (locks, waits and the critical path: two), so that five sentences are about
/// different things.

namespace csink::report {
namespace {

using Limits = FindingLimits;

constexpr std::size_t kMostOfAKind = 2;
/// Of a sentence: names of files and locks may be as long as they like.
constexpr std::size_t kSentenceColumns = 400;

/// What every rule needs: the report, the findings so far, and how long a name may be.
struct Search {
  const Report& report;
  std::size_t columns;
  std::vector<Finding> findings = {};

  /// A finding without a place to look at.
  void Add(FindingKind kind, std::string text, double seconds) {
    findings.push_back({kind, std::move(text), seconds, {}, {}, 0});
  }
  std::string Name(const std::string& function) const {
    return ShortenFunction(Printable(function), columns);
  }
  /// "t.cpp:10"
  std::string Line(const std::string& file, std::uint32_t line) const {
    return KeepTail(BaseName(file) + ":" + std::to_string(line), columns);
  }
  /// " (t.cpp:10)"; "" if no line is known.
  std::string Place(const std::string& file, std::uint32_t line) const {
    return line == 0 ? "" : " (" + Line(file, line) + ")";
  }
};

/// Of the wall time of a run. 0 if that is not known.
double ShareOfWall(const Report& report, double seconds) {
  return report.wall_seconds > 0 ? std::min(1.0, seconds / report.wall_seconds) : 0;
}

bool IsOfWall(const Report& report, double seconds) {
  return seconds >= Limits::kSeconds && ShareOfWall(report, seconds) >= Limits::kOfWall;
}

/// Threads that ran at the same time on average, at least 1: CPU time divided by this is wall time.
double Parallel(const Report& report) {
  if (report.wall_seconds <= 0) return 1;
  return std::max(1.0, report.verdict.ledger.cpu_seconds / report.wall_seconds);
}

/// "+-0.6", half of the interval in percent.
std::string Half(double low, double high) { return " +-" + FixedText((high - low) * 50, 1); }

/// "waits for a processor 24%, sleeps 12%": what else the path is, from 5 % on.
std::string RestOfPath(const critical::Analysis& analysis) {
  const critical::PathTimes& path = analysis.path;
  std::string text;
  const auto add = [&](const char* what, double share) {
    if (share >= 0.05) text += (text.empty() ? "" : ", ") + (what + Percent(share, 0));
  };
  add("without a processor ", analysis.Share(path.preempted + path.woken));
  add("asleep ", analysis.Share(path.sleep));
  add("unknown ", analysis.Share(path.unknown));
  return text;
}

const char* WhyNoSavings(critical::Forecast forecast) {
  switch (forecast) {
    case critical::Forecast::kUnknownPath:
      return "more than 10% of the path waits for something unknown";
    case critical::Forecast::kReplayDiffers:
      return "a replay of the unchanged run does not take the run's time";
    case critical::Forecast::kFewSamples:
      return "too few samples";
    default:
      return "";
  }
}

/// A range of two numbers with their unit once: "0.31 to 0.42 s", "12 to 19 ms".
std::string SavedText(double low, double high) {
  const bool is_ms = high < 0.1;
  const double scale = is_ms ? 1e3 : 1;
  const int decimals = high * scale < 10 ? 2 : high * scale < 100 ? 1 : 0;
  return FixedText(low * scale, decimals) + " to " + FixedText(high * scale, decimals) +
         (is_ms ? " ms" : " s");
}

void AddOnPath(Search& search, const CriticalTable& table, const CriticalRow& row) {
  const critical::Analysis& analysis = table.analysis;
  const critical::PlaceShares& shares = row.shares;
  const double run = analysis.run_seconds;
  const bool is_made = shares.has_saving;
  Finding finding{is_made ? FindingKind::kCriticalPath : FindingKind::kCriticalUnsaved,
                  search.Name(row.function) + search.Place(row.file, row.line) +
                      " holds the run up for " + Percent(shares.path, 0) + " +-" +
                      FixedText(shares.path_interval.HalfWidth() * 100, 0) + " of its " +
                      Duration(run),
                  shares.path * run,
                  row.function,
                  row.file,
                  row.line};
  if (is_made) {
    const critical::Saving& saving = shares.saving;
    finding.text += "; " + Percent(critical::AnalysisLimits::kShorter, 0) + " faster saves " +
                    SavedText(saving.low * run, saving.high * run) + " (" +
                    FixedText(saving.low * 100, 0) + " to " + Percent(saving.high, 0) + ")";
  } else {
    const std::string rest = RestOfPath(analysis);
    if (!rest.empty()) finding.text += " (" + rest + ")";
    const std::string why = WhyNoSavings(analysis.forecast);
    if (!why.empty()) finding.text += "; no savings are predicted: " + why;
  }
  if (const double share = analysis.Share(analysis.path.inferred); share >= Limits::kInferred) {
    finding.text += "; " + Percent(share, 0) +
                    " of the path is inferred: only one other thread ran when a wait ended";
  }
  search.findings.push_back(std::move(finding));
}

/// Functions that hold the run up, and those whose CPU time does not count.
void AddCritical(Search& search) {
  const CriticalTable& table = *search.report.critical;
  const double run = table.analysis.run_seconds;
  std::size_t on_path = 0;
  std::size_t off_path = 0;
  for (const CriticalRow& row : table.rows) {
    const critical::PlaceShares& shares = row.shares;
    // The path of a sample of the run: its lower bound, as for other sampled shares.
    if (shares.path_interval.low >= Limits::kPath && shares.path * run >= Limits::kSeconds &&
        on_path < kMostOfAKind) {
      AddOnPath(search, table, row);
      ++on_path;
    }
    if (shares.has_saving && shares.cpu >= Limits::kOffPath &&
        shares.saving.high < Limits::kNothing && off_path < kMostOfAKind) {
      const double cpu = shares.cpu * search.report.verdict.ledger.cpu_seconds;
      if (cpu / Parallel(search.report) < Limits::kSeconds) continue;
      search.findings.push_back({FindingKind::kOffPath,
                                 search.Name(row.function) + search.Place(row.file, row.line) +
                                     ": " + Percent(shares.cpu, 0) +
                                     " of the CPU time, but a faster one saves nothing (less "
                                     "than " +
                                     Percent(Limits::kNothing) + " of the run)",
                                 cpu / Parallel(search.report), row.function, row.file, row.line});
      ++off_path;
    }
  }
}

/// The function with most CPU time, its line and its caller.
void AddFunction(Search& search) {
  const Report& report = search.report;
  if (report.functions.empty() || report.profile.events.empty()) return;
  const EventTotals& event = report.profile.events[0];
  const FunctionRow& row = report.functions[0];
  const Cell& cell = row.events[0];
  if (event.samples < Limits::kSamples || cell.low < Limits::kFunction) return;
  const bool is_clock = event.kind == EventClass::kClock;
  const double cpu =
      is_clock ? Seconds(cell.weight) : cell.share * report.verdict.ledger.cpu_seconds;
  Finding finding{FindingKind::kFunction, {}, cpu / Parallel(report), row.function, {}, 0};
  std::tie(finding.file, finding.line) = HottestLineOf(row);
  finding.text = search.Name(row.function) + " has " + Percent(cell.share) +
                 Half(cell.low, cell.high) +
                 (is_clock ? " of the sampled CPU time" : " of " + event.name);
  if (is_clock) finding.text += " (" + Duration(cpu) + ")";
  if (finding.line != 0) {
    finding.text += ", most of it at " + search.Line(finding.file, finding.line);
  }
  if (!row.callers.empty() && cell.samples > 0) {
    const NamedCells& caller = row.callers[0];
    const double part =
        static_cast<double>(caller.events[0].samples) / static_cast<double>(cell.samples);
    if (!caller.function.empty() && part >= 0.5) {
      finding.text += "; " + Percent(part, 0) + " of it for " + search.Name(caller.function);
    }
  }
  search.findings.push_back(std::move(finding));
}

/// CPU time in the kernel, of which there are no samples.
void AddKernel(Search& search) {
  const Report& report = search.report;
  const double cpu = report.user_seconds + report.system_seconds;
  if (report.system_sampled || report.system_seconds < Limits::kSeconds ||
      report.system_seconds < Limits::kKernel * cpu) {
    return;
  }
  search.Add(FindingKind::kKernel,
             Duration(report.system_seconds) + " of " + Duration(cpu) +
                 " of CPU time was in the kernel, which was not sampled: --kernel samples "
                 "it where that is permitted (csink doctor says)",
             report.system_seconds / Parallel(report));
}

/// Where threads that are not idle waited for a lock: its row with most time, and their number.
struct Waiters {
  const WaitRow* most = nullptr;
  double seconds = 0;
  std::size_t functions = 0;
};

Waiters WaitersFor(const WaitTables& waits, std::size_t lock) {
  Waiters found;
  for (const WaitGroup& group : waits.groups) {
    if (group.is_idle) continue;
    for (const WaitRow& row : group.rows) {
      if (row.lock != lock) continue;
      found.seconds += row.cell.seconds;
      ++found.functions;
      if (found.most == nullptr || row.cell.seconds > found.most->cell.seconds) found.most = &row;
    }
  }
  return found;
}

/// "; rebuild holds it 94% of that time", or what else is known of the holder.
std::string HolderText(const Search& search, const LockRow& lock) {
  if (lock.holders.empty() || lock.known_share < 0.5) {
    return "; its holder is known for " + Percent(lock.known_share, 0) + " of that time";
  }
  const HolderRow& holder = lock.holders[0];
  const std::string who =
      !holder.function.empty() ? search.Name(holder.function) : "thread " + holder.thread;
  const std::string part = Percent(holder.cell.share, 0) + " of that time";
  if (holder.is_only_runner) return "; " + who + " is all that ran for " + part;
  return "; " + who + " holds it " + part + (holder.is_blocked ? ", blocked itself" : "");
}

void AddLocks(Search& search) {
  const Report& report = search.report;
  std::size_t added = 0;
  for (std::size_t i = 0; i < report.waits->locks.size() && added < kMostOfAKind; ++i) {
    const LockRow& lock = report.waits->locks[i];
    const Waiters waiters = WaitersFor(*report.waits, i);
    if (!lock.is_lock || waiters.most == nullptr) continue;
    // Those who wait at the same moment wait for the same piece of wall time.
    const double at_once = static_cast<double>(std::max<std::uint64_t>(1, lock.most_waiters));
    const double seconds = waiters.seconds / at_once;
    if (!IsOfWall(report, seconds)) continue;
    const WaitRow& row = *waiters.most;
    Finding finding{FindingKind::kLock, {}, seconds, row.function, row.file, row.line};
    finding.text = search.Name(row.function) + search.Place(row.file, row.line);
    if (waiters.functions > 1) {
      finding.text += " and " + Count(waiters.functions - 1, "other place", "other places");
    }
    finding.text += (waiters.functions > 1 ? " wait " : " waits ") + Duration(waiters.seconds) +
                    " for " + LockText(lock) + HolderText(search, lock);
    search.findings.push_back(std::move(finding));
    ++added;
  }
}

/// Whether the thread waits for something other than a lock, which has a finding of its own, and
/// other than a thread of the program.
bool IsForOutside(const WaitTables& waits, const WaitRow& row) {
  if (row.kind == spool::WaitKind::kJoin || row.kind == spool::WaitKind::kBarrier) return false;
  return row.lock == WaitRow::kNoRow || !waits.locks[row.lock].is_lock;
}

void AddWaits(Search& search) {
  const Report& report = search.report;
  std::size_t added = 0;
  for (const WaitGroup& group : report.waits->groups) {
    if (!group.is_critical || group.threads == 0) continue;
    for (const WaitRow& row : group.rows) {
      if (added == kMostOfAKind) return;
      const double seconds = row.cell.seconds / static_cast<double>(group.threads);
      if (!IsForOutside(*report.waits, row) || !IsOfWall(report, seconds)) continue;
      search.findings.push_back({FindingKind::kWait,
                                 group.name + " was blocked " + Duration(seconds) + " (" +
                                     Percent(ShareOfWall(report, seconds), 0) + " of the run) in " +
                                     search.Name(row.function) + search.Place(row.file, row.line) +
                                     ": " + row.primitive +
                                     (group.threads > 1 ? "; mean of its threads" : ""),
                                 seconds, row.function, row.file, row.line});
      ++added;
    }
  }
}

/// No thread ran, and no look at the threads says why.
void AddIdle(Search& search) {
  const Report& report = search.report;
  // Threads that wait for a processor are not blocked; they have a finding of their own.
  const double waiting = report.verdict.division ? report.verdict.division->waiting_seconds : 0;
  const double idle = report.verdict.idle_seconds - waiting;
  if (idle < Limits::kSeconds || ShareOfWall(report, idle) < Limits::kIdle) return;
  search.Add(FindingKind::kIdle,
             "for " + Duration(idle) + " of " + Duration(report.wall_seconds) +
                 " at least, nothing of the program ran: --wait shows whether and where "
                 "its threads were blocked",
             idle);
}

void AddNoProcessor(Search& search) {
  const Report& report = search.report;
  if (!report.verdict.division) return;
  const WallDivision& division = *report.verdict.division;
  const double wanted = division.running_seconds + division.waiting_seconds;
  const double waiting = division.waiting_seconds;
  if (waiting < Limits::kSeconds || waiting < Limits::kNoProcessor * wanted) return;
  std::string text = "threads waited " + Duration(waiting) + " for a processor, " +
                     Percent(waiting / wanted, 0) + " of the time in which they wanted to run";
  if (division.own_waiting) {
    const OwnWaiting& own = *division.own_waiting;
    const std::string processors = Count(division.processors, "processor", "processors");
    const bool is_bounded = own.least_seconds > 0.05 * waiting || own.most_seconds < 0.95 * waiting;
    if (!is_bounded) {
      text += "; whether for the program's own threads, which share " + processors +
              ", or for other programs is not known";
    } else if (own.least_seconds >= 0.5 * waiting) {
      text += ": at least " + Duration(own.least_seconds) +
              " of it for the program's own threads, which share " + processors;
    } else if (own.most_seconds <= 0.5 * waiting) {
      text += ": at least " + Duration(waiting - own.most_seconds) +
              " of it for other programs or a CPU limit";
    } else {
      text += ": " + Duration(own.least_seconds) + " to " + Duration(own.most_seconds) +
              " of it for the program's own threads, which share " + processors +
              ", the rest for other programs or a CPU limit";
    }
  }
  const double threads = static_cast<double>(std::max<std::uint64_t>(1, division.threads));
  const double at_once =
      std::min(threads, std::max(1.0, wanted / std::max(1e-9, report.wall_seconds)));
  search.Add(FindingKind::kNoProcessor, std::move(text), waiting / at_once);
}

/// The region that loses most in its barrier.
void AddImbalance(Search& search) {
  const Report& report = search.report;
  const OpenMpRegion* most = nullptr;
  for (const OpenMpRegion& region : report.openmp->regions) {
    // The lower bound: a few samples are no finding.
    if (region.barrier.low < Limits::kBarrier) continue;
    if (most == nullptr || region.barrier.seconds > most->barrier.seconds) most = &region;
  }
  if (most == nullptr) return;
  const double threads = static_cast<double>(std::max<std::uint64_t>(1, most->threads));
  const double seconds = most->barrier.seconds / threads;
  if (seconds < Limits::kSeconds) return;
  std::string text = "parallel region " + RegionName(*most) + ": ";
  if (most->threads > 0) text += Count(most->threads, "thread", "threads") + ", ";
  text += Percent(most->barrier.share, 0) + " of their time in its barrier";
  if (most->Imbalance() >= Limits::kBarrier) {
    text += "; the busiest works " + Percent(most->Imbalance(), 0) + " longer than the mean";
  }
  search.findings.push_back(
      {FindingKind::kImbalance, std::move(text), seconds, most->function, most->file, most->line});
}

void AddRanks(Search& search) {
  const Report& report = search.report;
  if (report.ranks.ranks < 2 || report.ranks.events.empty()) return;
  const RankSpread& load = report.ranks.events[0].total;
  if (!load.differs || load.imbalance < Limits::kRanks) return;
  const bool is_clock = report.profile.events[0].kind == EventClass::kClock;
  const double seconds = is_clock ? load.most.value - load.mean : 0;
  if (is_clock && seconds < Limits::kSeconds) return;
  const auto amount = [&](double value) { return is_clock ? Duration(value) : Short(value); };
  search.Add(FindingKind::kRanks,
             "rank " + std::to_string(load.most.rank) + " has " + amount(load.most.value) +
                 (is_clock ? " of CPU time" : " of " + report.profile.events[0].name) + ", " +
                 Percent(load.imbalance, 0) + " more than the mean of " +
                 Count(report.ranks.ranks, "rank", "ranks") + "; rank " +
                 std::to_string(load.least.rank) + " has " + amount(load.least.value),
             seconds);
}

void AddProfiler(Search& search) {
  const Report& report = search.report;
  const Verdict& verdict = report.verdict;
  const double agent = verdict.agent_share.value_or(0);
  const double interrupts = verdict.interrupt_share.value_or(0);
  const double seconds = (agent + interrupts) * verdict.ledger.cpu_seconds / Parallel(report);
  if (agent + interrupts < Limits::kProfiler || seconds < Limits::kSeconds) return;
  std::string text = "the profiler itself used " + Percent(agent) + " of the CPU time";
  if (interrupts > 0) text += ", its interrupts about " + Percent(interrupts);
  search.Add(FindingKind::kProfiler, std::move(text), seconds);
}

void AddTooShort(Search& search) {
  const Report& report = search.report;
  const std::uint64_t samples = report.verdict.samples;
  if (samples >= Limits::kSamples || report.profile.events.empty()) return;
  search.Add(FindingKind::kTooShort,
             Count(samples, "sample", "samples") +
                 ": too few to name a function; a longer run, or a shorter period "
                 "(--events), has more",
             0);
}

}  // namespace

std::vector<Finding> FindingsOf(const Report& report, std::size_t name_columns) {
  Search search{report, std::max<std::size_t>(name_columns, 8)};
  if (report.critical) AddCritical(search);
  AddFunction(search);
  // The other tables are those of the whole run.
  if (report.profile.only_phase.empty()) {
    AddKernel(search);
    if (report.waits) {
      AddLocks(search);
      AddWaits(search);
    } else {
      AddIdle(search);
    }
    AddNoProcessor(search);
    if (report.openmp) AddImbalance(search);
    AddRanks(search);
    AddProfiler(search);
  }
  AddTooShort(search);
  std::vector<Finding> findings = std::move(search.findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.seconds > b.seconds; });
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  for (Finding& finding : findings) finding.text = KeepHead(finding.text, kSentenceColumns);
  return findings;
}

const char* WordFor(FindingKind kind) {
  switch (kind) {
    case FindingKind::kCriticalPath:
      return "critical-path";
    case FindingKind::kOffPath:
      return "off-path";
    case FindingKind::kCriticalUnsaved:
      return "critical-path-unsaved";
    case FindingKind::kFunction:
      return "function";
    case FindingKind::kKernel:
      return "kernel";
    case FindingKind::kLock:
      return "lock";
    case FindingKind::kWait:
      return "wait";
    case FindingKind::kIdle:
      return "idle";
    case FindingKind::kNoProcessor:
      return "no-processor";
    case FindingKind::kImbalance:
      return "imbalance";
    case FindingKind::kRanks:
      return "ranks";
    case FindingKind::kProfiler:
      return "profiler";
    case FindingKind::kTooShort:
      return "too-short";
  }
  return "unknown";
}

}  // namespace csink::report

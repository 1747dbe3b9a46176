#include <algorithm>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/chain_grade.h"
#include "symbolizer/report/verdict/ledger_lines.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the lines of the verdict. The first line is the grade and the numbers it rests on; each
/// further line is one finding, in the order of WriteVerdict. Small findings are left out here;
/// JSON has all of them.

namespace csink::report {
namespace {

/// Names in one line; further ones are "...".
constexpr std::size_t kMostModules = 4;
constexpr std::size_t kMostRoutines = 4;
/// Enough to recognise a build; debug packages are found by the whole id, which JSON has.
constexpr std::size_t kBuildIdDigits = 8;
constexpr char kLabel[] = "verdict  ";
constexpr char kIndent[] = "         ";

/// The grade at the beginning of the verdict. JSON has the bare word "short".
const char* GradeText(Grade grade) {
  return grade == Grade::kShort ? "too short to judge" : WordFor(grade);
}

/// "99.8% of the cycles, 61.2% of the cache-misses"
std::string ExplainedCounters(const Verdict& verdict) {
  std::string text;
  for (const Explained& event : verdict.counters) {
    text += (text.empty() ? "" : ", ") + Percent(event.share) + " of the " + Printable(event.event);
  }
  return text;
}

/// What the samples explain: of the CPU time if a clock was sampled, and of each event that needs a
/// counter. Otherwise how much time there was to compare with.
std::string ExplainedText(const Verdict& verdict) {
  const std::string samples = Count(verdict.samples, "sample", "samples");
  const std::string time = verdict.of_user_time ? "user time" : "CPU time";
  const std::string counters = ExplainedCounters(verdict);
  const std::string verb = verdict.samples == 1 ? " explains " : " explain ";
  if (verdict.of_clock && verdict.explained_share) {
    return samples + verb + Percent(*verdict.explained_share) + " of " + time +
           (counters.empty() ? "" : ", " + counters);
  }
  if (!counters.empty()) return samples + verb + counters;
  if (verdict.grade == Grade::kShort) {
    return samples + " in " + Duration(verdict.judged_seconds) + " of " + time;
  }
  return samples + ", " + FixedText(verdict.judged_seconds, 2) + " s of " + time +
         (verdict.ledger.has_clock ? "" : " (no clock event to compare with)");
}

/// The grade and the numbers that it rests on. Numbers that are 0 in most runs are left out.
std::string FirstLine(const Verdict& verdict) {
  std::string text = std::string(GradeText(verdict.grade)) + ": " + ExplainedText(verdict) + "; " +
                     Grouped(verdict.lost_records) +
                     (verdict.lost_records == 0 ? " lost, " : " lost (full ring buffers), ") +
                     Grouped(verdict.throttled) + " throttled";
  if (verdict.unplaced > 0) text += ", " + Grouped(verdict.unplaced) + " without a bucket";
  if (verdict.multiplexed) {
    text += "; multiplexed: counted " + Percent(*verdict.multiplexed) + " of the time";
  }
  text += "; " + Grouped(verdict.threads_sampled) + " of " +
          Count(verdict.threads_seen, "thread", "threads") + " watched";
  if (verdict.agent_share) text += "; collecting cost " + Percent(*verdict.agent_share);
  // Smaller parts are below what the estimate can tell.
  if (verdict.interrupt_share.value_or(0) >= 0.001) {
    text += ", interrupts about " + Percent(*verdict.interrupt_share);
  }
  return text;
}

/// The line about idle time, if it is at least a tenth of the wall time and 0.1 s.
std::string IdleLine(const Report& report) {
  const double idle = report.verdict.idle_seconds;
  if (idle < 0.1 || idle < 0.1 * report.wall_seconds) return "";
  return Duration(idle) + " of " + Duration(report.wall_seconds) +
         " of wall time are not explained: no thread ran (blocked, asleep, or without a core)";
}

/// Below this much waiting, in seconds, the line about it is left out of the report of a run of
/// less than kShortRunSeconds.
constexpr double kLittleWaiting = 0.5;

/// Whether the line about waiting would only say that a short program started and ended.
bool IsLittleWaiting(const Report& report) {
  const Verdict& verdict = report.verdict;
  // Each of the three measures may be missing: the largest known one counts.
  double off = verdict.idle_seconds;
  for (const ProcessWall& wall : verdict.wall) off = std::max(off, wall.off_cpu_seconds);
  if (verdict.division) {
    off = std::max(off, verdict.division->wall_seconds - verdict.division->running_seconds);
  }
  return report.wall_seconds < kShortRunSeconds && off < kLittleWaiting;
}

/// What the wall time contains besides CPU time. From spools of older agents, which have no times
/// of threads: for all processes, else for the one that waited longest.
std::string WaitLine(const Report& report, bool verbose) {
  if (!verbose && IsLittleWaiting(report)) return "";
  if (report.verdict.division) return DivisionLine(*report.verdict.division);
  const std::string idle = IdleLine(report);
  return idle.empty() ? Printable(WallLine(report.verdict.wall)) : idle;
}

/// The line about pauses (CSINK_DELAY, csink ctl): a reader might take the missing time for a loss.
std::string PausedLine(const Verdict& verdict) {
  if (verdict.paused_seconds < 0.001) return "";
  return "paused " + Duration(verdict.paused_seconds) + " of CPU time: not sampled, as requested";
}

/// The line about threads that ended too early, with the start routines that have most of their CPU
/// time.
std::string ShortThreadsLine(const Verdict& verdict) {
  std::uint64_t threads = 0;
  double seconds = 0;
  std::string names;
  for (std::size_t i = 0; i < verdict.short_threads.size(); ++i) {
    const ShortThreadsByRoutine& row = verdict.short_threads[i];
    threads += row.threads;
    seconds += row.cpu_seconds;
    if (i >= kMostRoutines) continue;
    names += (i == 0 ? ": " : ", ") + ShortenFunction(Printable(row.start_routine), 40) + " " +
             Grouped(row.threads) + " (" + Duration(row.cpu_seconds) + ")";
  }
  if (threads == 0) return "";
  if (verdict.short_threads.size() > kMostRoutines) names += ", ...";
  return Count(threads, "thread", "threads") + " ended before a sample was due, " +
         Duration(seconds) + " of CPU time not sampled" + names;
}

/// The line about modules of which samples are in functions without names, if these are at least
/// `min_share`. Of a module without symbols, exported functions have names all the same. Modules
/// with another problem have a line each.
std::string ModulesLine(const Verdict& verdict, double min_share) {
  std::string names;
  std::string packages;
  std::size_t count = 0;
  for (const ModuleProblem& module : verdict.modules_without_symbols) {
    if (module.unnamed < min_share || !module.problem.empty()) continue;
    // Further modules are only counted, and their packages are left out like their names.
    if (++count > kMostModules) continue;
    names +=
        (count == 1 ? " " : ", ") + Percent(module.unnamed) + " in " + Printable(module.module);
    if (!module.build_id.empty()) {
      names += " (build-id " + module.build_id.substr(0, kBuildIdDigits) + "..)";
    }
    if (!module.package.empty()) packages += " " + Printable(module.package);
  }
  if (count == 0) return "";
  if (count > kMostModules) names += ", ...";
  const std::string advice =
      packages.empty() ? (count == 1 ? "install its debug package" : "install their debug packages")
                       : "install" + packages;
  return "functions without names:" + names + "; " + advice +
         (verdict.debug_archive.empty() ? "" : " " + Printable(verdict.debug_archive));
}

/// A hint if the hottest functions are others where inlined functions count for themselves. Only if
/// the report has both.
std::string InlinesLine(const Report& report) {
  constexpr std::size_t kCompared = 3;
  const std::size_t rows = std::min({kCompared, report.functions.size(), report.inlines.size()});
  for (std::size_t i = 0; i < rows; ++i) {
    if (report.functions[i].function == report.inlines[i].function) continue;
    return "inlined functions change the order: --by inlines shows " +
           ShortenFunction(Printable(report.inlines[i].function), 40) + " as number " +
           std::to_string(i + 1);
  }
  return "";
}

}  // namespace

std::string WriteVerdict(const Report& report, const TextStyle& style) {
  const Verdict& verdict = report.verdict;
  std::string text = Wrapped(style, kLabel, FirstLine(verdict));
  // The second line: samples and their functions are right where callers are missing.
  for (const bool of_looks : {false, true}) {
    const std::optional<ChainGrade> chains = GradeChains(report.profile, of_looks);
    if (chains) text += Wrapped(style, kIndent, ChainLine(*chains));
  }
  std::vector<std::string> lines = {
      Printable(LossLine(verdict.ledger)), BeforeAgentLine(verdict.ledger),
      WaitLine(report, style.verbose),     PausedLine(verdict),
      ShortThreadsLine(verdict),           ModulesLine(verdict, style.min_share)};
  for (const ModuleProblem& module : verdict.modules_without_symbols) {
    if (module.share < style.min_share || module.problem.empty()) continue;
    lines.push_back(Printable(module.module) + ": " + Printable(module.problem));
  }
  lines.push_back(EnergyVerdict(report));
  if (style.by == By::kFunctions) lines.push_back(InlinesLine(report));
  for (const std::string& note : verdict.notes) lines.push_back(Printable(note));
  for (const std::string& line : lines) {
    if (!line.empty()) text += Wrapped(style, kIndent, line);
  }
  return text;
}

}  // namespace csink::report

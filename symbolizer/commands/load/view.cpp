#include "symbolizer/commands/load/view.h"

#include <algorithm>
#include <utility>

#include "profil/reading/model/python_module.h"
#include "profil/statistics/slowdown.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/progress.h"
#include "symbolizer/commands/load/debug_packages.h"
#include "symbolizer/commands/load/load_run.h"
#include "symbolizer/commands/load/nothing_sampled.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/text/diff_writers.h"
#include "symbolizer/report/wording/library_code.h"
#include "symbolizer/report/wording/numbers.h"

/// File: turns a View into a report: what a profile must keep, how much is resolved, which columns
/// remain, and the comparison with a baseline. Shared by `run`, `report`, `export` and `annotate`.

namespace csink::tool {
namespace {

/// More runs a side than these prove little more for their time.
constexpr std::size_t kRunsToAdvise = 5;

/// Samples of all events in a row.
std::uint64_t SamplesOf(const std::vector<EventCount>& counts) {
  std::uint64_t samples = 0;
  for (const EventCount& count : counts) samples += count.samples;
  return samples;
}

/// Tells the user when threads have no functions: a merged file divides samples by thread only with
/// --per-thread. Compares the samples in places that name a thread with those of the rows of
/// threads.
void SayWhereThreadsHaveNoFunctions(const Profile& profile) {
  std::uint64_t of_threads = 0;
  std::uint64_t divided = 0;
  for (const ThreadRow& thread : profile.threads) of_threads += SamplesOf(thread.counts);
  for (const Place& place : profile.places) {
    if (place.thread != kNoThread) divided += SamplesOf(place.counts);
  }
  if (divided >= of_threads) return;
  Warn("threads of a merged file are shown without functions; csink merge --per-thread keeps them");
}

/// What the report must contain for the view. `progress` must outlive the options.
report::BuildOptions BuildOptionsOf(const View& view, Progress& progress) {
  report::BuildOptions build;
  build.inlines = view.by == report::By::kInlines;
  build.keep_addresses = view.needs.addresses;
  // For rows of lines, inlined functions are needed: a line belongs to the function that contains
  // it.
  const bool by_lines = view.by == report::By::kLines;
  const bool asked = view.inlines || view.needs.inlines;
  if (build.inlines || by_lines || asked) build.detail = symbolizer::Detail::kInlines;
  if (!progress.is_on()) return build;
  build.progress = [&](const std::string& path, std::size_t done, std::size_t of) {
    progress.SayModule(path, done, of);
  };
  return build;
}

/// Whether a place where a thread waited long has its line in a header of a library.
bool WaitsInLibraryLine(const report::Report& report) {
  constexpr double kLeastShare = 0.01;
  if (!report.waits) return false;
  for (const report::WaitGroup& group : report.waits->groups) {
    for (const report::WaitRow& row : group.rows) {
      if (row.cell.share >= kLeastShare && report::IsLibraryCode(row.file)) return true;
    }
  }
  return false;
}

/// Whether one of the functions that the main table shows, or a place of the waits, has its hottest
/// line in a header of a library.
bool HasHotLibraryLine(const report::Report& report) {
  constexpr std::size_t kRows = 20;
  constexpr double kLeastShare = 0.01;
  for (std::size_t i = 0; i < std::min(kRows, report.functions.size()); ++i) {
    const report::FunctionRow& row = report.functions[i];
    // The standard library of Python is no header.
    if (row.module == kPythonModule) continue;
    if (row.events[0].share >= kLeastShare && report::IsLibraryCode(row.file)) return true;
  }
  return WaitsInLibraryLine(report);
}

/// What runs of these numbers can prove at all, and what more runs could.
std::string WhatIsProven(const report::Comparison& comparison, double limit) {
  const std::size_t runs = std::min(comparison.now.runs, comparison.was.runs);
  if (runs >= kRunsToAdvise) return "csink bench measures until it is clear";
  const double one = ProvenFrom(limit, static_cast<double>(runs));
  const double more = ProvenFrom(limit, kRunsToAdvise);
  return (runs == 1 ? std::string("one run a side") : std::to_string(runs) + " runs a side") +
         ": only more than " + report::ChangeText(one) + " is proven; " +
         std::to_string(kRunsToAdvise) + " runs a side would prove " + report::ChangeText(more) +
         ", and csink bench measures until it is clear";
}

}  // namespace

/// Marks are always kept, because every report lists them.
MergeOptions MergeOptionsOf(const View& view) {
  return {.keep_callers = !view.flat,
          .keep_phases = true,
          .keep_threads = view.per_thread || view.needs.threads,
          // Files of other programs have no table of regions, and name threads only where asked.
          .keep_openmp_threads = !view.needs.addresses,
          .keep_ranks = true,
          .python = view.by == report::By::kNative ? PythonView::kNative : PythonView::kFunctions,
          .only_phase = view.phase};
}

std::optional<report::Baseline> LoadBaseline(const std::string& file,
                                             const report::Resolver& resolve) {
  return LoadRun(file, "baseline ", resolve, {});
}

bool HasSamples(const Profile& profile, const View& view, const std::string& what) {
  if (MostSamples(profile) > 0 || LooksAtWaits(profile) > 0) return true;
  // The report then says why there are no samples.
  if (view.phase.empty() && MissedSamples(profile) >= kManyMissed) return true;
  if (!view.phase.empty()) {
    std::string marks;
    for (const Phase& phase : profile.phases) {
      if (!phase.name.empty()) marks += (marks.empty() ? "" : ", ") + phase.name;
    }
    Complain("no samples after a mark named " + view.phase +
             (marks.empty() ? "; no mark was set" : "; the marks are: " + marks));
  } else if (!profile.problems.empty()) {
    Complain(profile.problems[0] + "; no samples");
  } else {
    const std::string why = WhyNothingWasSampled(profile);
    Complain(what + ": contains no samples" + (why.empty() ? "" : ": " + why));
  }
  return false;
}

report::Report MakeReport(Profile profile, const View& view,
                          const std::optional<report::Baseline>& baseline,
                          const report::Resolver& resolve) {
  if (view.per_thread) SayWhereThreadsHaveNoFunctions(profile);
  Progress progress(view.quiet);
  report::BuildOptions build = BuildOptionsOf(view, progress);
  report::Report report = report::BuildReport(std::move(profile), resolve, build);
  // Inlined functions cost reading most of .debug_info, so they are read only where a hot line
  // needs them (docs/design/report.md). The profile moves from the first report into the second.
  if (view.own_lines && HasHotLibraryLine(report)) {
    build.detail = symbolizer::Detail::kInlines;
    build.inlines |= view.needs.inline_rows;
    report = report::BuildReport(std::move(report.profile), resolve, build);
  }
  AddDebugPackages(report);
  // Before the comparison, which takes the first event that remains.
  report::SelectEvents(report, view.events);
  if (view.sort_all) report::SortReport(report, view.sort);
  if (baseline) report.baseline = report::Compare(report, *baseline, view.baseline);
  return report;
}

std::string WrongColumns(const Profile& profile, const View& view) {
  return report::WhatIsWrongWithColumns(profile, view.events, view.sort);
}

int JudgeSpeed(const report::Comparison& comparison, double percent) {
  if (!comparison.slowdown) {
    Complain(comparison.baseline + ": the CPU time is not known, so the runs cannot be compared");
    return kExitNothing;
  }
  const Slowdown& slowdown = *comparison.slowdown;
  const double limit = 1 + percent / 100;
  if (slowdown.ratio <= limit) return 0;
  const std::string facts = "slower than " + comparison.baseline + " by " +
                            report::FixedText((slowdown.ratio - 1) * 100, 1) + "% of CPU time";
  const std::string bound = report::ChangeText(slowdown.low);
  const std::string allowed = report::FixedText(percent, 1) + "% is allowed";
  if (slowdown.low > limit) {
    Complain(facts + ", at least " + bound + " (95% certain); at most " + allowed);
    return kExitSlower;
  }
  Warn("unclear: " + facts + ", but at least " + bound + " is all that is certain (95%), and " +
       allowed + "; " + WhatIsProven(comparison, limit));
  return 0;
}

int JudgeSpeed(const report::Report& report, const View& view) {
  if (view.fail_if_slower < 0 || !report.baseline || !report.baseline->ratio) return 0;
  return JudgeSpeed(*report.baseline, view.fail_if_slower);
}

}  // namespace csink::tool

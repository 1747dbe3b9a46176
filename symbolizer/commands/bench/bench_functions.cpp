#include "symbolizer/commands/bench/bench_functions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "symbolizer/commands/launch/launch.h"
#include "symbolizer/commands/launch/tree_attachers.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/run_causes.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/sum_of_runs.h"
#include "symbolizer/commands/load/users_place.h"
#include "symbolizer/report/compare/compare.h"

/// File: each profiled run is a process tree with a folder of spools of its own, as under `csink
/// run`. A run becomes a Baseline at once, and its spools are removed, except those of the first
/// kKeptRuns runs, in which causes are looked for.

namespace csink::tool {
namespace {

/// A build with a thousand processes leaves 100 MB a run.
constexpr std::size_t kKeptRuns = 5;

/// The folder of one run's spools; removed with what is in it.
class RunFolder {
 public:
  explicit RunFolder(std::uint64_t tree) {
    if (auto made = MakeTreeFolder(tree)) path_ = *made;
    MakeUsersPlace(tree);
    if (!path_.empty()) BeginMessages(path_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code error;
    for (const std::string& path : UsersSpools(path_)) RemoveSpool(path);
    RemoveMessages(path_);
    RemoveUsersPlace(path_);
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  /// Empty: no folder could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A command and its side, for messages.
std::string Named(std::size_t side, const std::string& program) {
  return std::string(side == 0 ? "A" : "B") + " (" + program + ")";
}

/// The runs of one side. Spools of the first ones are kept until causes were looked for.
struct Side {
  std::vector<report::Baseline> runs;
  std::vector<std::unique_ptr<RunFolder>> kept;

  std::vector<std::string> Spools() const {
    std::vector<std::string> spools;
    for (const auto& folder : kept) {
      const std::vector<std::string> own = SpoolsOfTree(folder->path());
      spools.insert(spools.end(), own.begin(), own.end());
    }
    return spools;
  }
};

/// Profiles one run of one side and appends it to `to`. Returns "" or why not.
std::string ProfileOne(Rounds& rounds, std::size_t side, const std::string& agent,
                       std::uint64_t tree, const report::Resolver& resolve, Side& to) {
  auto made = std::make_unique<RunFolder>(tree);
  const RunFolder& folder = *made;
  if (folder.path().empty()) return "no folder for spools; set CSINK_SPOOL_DIR to one that you own";
  // As in a tree of `csink run`, the processes leave their spools and write no report.
  Environment environment(
      agent, {{"CSINK_TREE", std::to_string(tree)}, {"CSINK_SPOOL_DIR", folder.path()}});
  bench::Run unused;
  // Run as in a round, so that input, limits and the check of the output are the same. The times
  // are not used: profiling has a cost.
  std::string failure = rounds.RunSide(side, environment.data(), unused);
  if (!failure.empty()) return failure;
  // The answer false: waits for the spools also where daemons of the tree go on, 5 s at most.
  AwaitAttachers(folder.path(), [] { return false; });
  (void)SayMessages(folder.path());
  std::size_t failed = 0;
  Profile profile = LoadProfile(SpoolsOfTree(folder.path()), failed, {.keep_callers = true});
  const std::string name = Named(side, rounds.program(side));
  if (failed > 0) return "a spool of " + name + " cannot be read";
  if (MostSamples(profile) == 0) {
    const std::string why = WhyNotPreloadable(FindProgram(rounds.program(side)));
    if (!why.empty()) return name + " cannot be profiled: it " + why;
    return "a profiled run of " + name + " has no samples: make the runs longer";
  }
  report::BuildOptions build;
  build.detail = symbolizer::Detail::kInlines;
  build.inlines = true;  // To find functions that moved between inlined and not inlined
  to.runs.push_back(report::BaselineOf(report::BuildReport(std::move(profile), resolve, build)));
  if (to.kept.size() < kKeptRuns) to.kept.push_back(std::move(made));
  return "";
}

}  // namespace

ComparedFunctions CompareFunctions(Rounds& rounds, std::size_t runs,
                                   const report::Resolver& resolve) {
  const auto agent = FindAgent();
  if (!agent) return {std::nullopt, "libagent.so was not found"};
  std::random_device device;
  std::array<Side, 2> sides;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t first = rounds.NextFirst();
    for (const std::size_t side : {first, 1 - first}) {
      const std::uint64_t tree = (std::uint64_t{device()} << 32) | device() | 1;
      std::string failure = ProfileOne(rounds, side, *agent, tree, resolve, sides[side]);
      if (!failure.empty()) return {std::nullopt, std::move(failure)};
    }
  }
  const Side& now = sides[0];
  const Side& then = sides[1];
  report::Comparison comparison = report::CompareRuns(now.runs, then.runs);
  std::optional<report::Report> sum;
  std::optional<report::Report> was_sum;
  const report::WantedCode wanted = report::CodeWanted(comparison, now.runs, then.runs);
  if (!wanted.now.empty()) {
    sum = SumOfSpools(now.Spools(), true, resolve);
    was_sum = SumOfSpools(then.Spools(), true, resolve);
  }
  // A is the later side here.
  comparison.causes = CausesOf(comparison, {now.runs, sum, now.kept.size()},
                               {then.runs, was_sum, then.kept.size()}, wanted, resolve, {"B", "A"});
  return {std::move(comparison), ""};
}

}  // namespace csink::tool

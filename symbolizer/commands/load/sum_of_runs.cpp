#include "symbolizer/commands/load/sum_of_runs.h"

#include <utility>

#include "symbolizer/commands/console/progress.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/load_run.h"

namespace csink::tool {

std::optional<report::Report> SumOfSpools(const std::vector<std::string>& spools, bool quiet,
                                          const report::Resolver& resolve) {
  std::size_t failed = 0;
  // As MergeOptionsOf for a page: callers, marks and threads are the filters of its views.
  Profile profile = LoadProfile(spools, failed,
                                {.keep_callers = true, .keep_phases = true, .keep_threads = true});
  if (failed > 0 || profile.processes.empty()) return std::nullopt;
  Progress progress(quiet);
  report::BuildOptions build;
  build.keep_addresses = true;
  build.detail = symbolizer::Detail::kInlines;  // The lines are those of inlined functions
  build.progress = [&](const std::string& path, std::size_t done, std::size_t of) {
    progress.SayModule(path, done, of);
  };
  return report::BuildReport(std::move(profile), resolve, build);
}

std::optional<report::Report> SumOfRuns(const std::vector<std::string>& targets, bool quiet,
                                        const report::Resolver& resolve) {
  std::vector<std::string> spools;
  for (const std::string& target : targets) {
    for (const std::string& run : RunsIn(target)) {
      const std::vector<std::string> own = SpoolsOfRun(run);
      if (own.empty()) return std::nullopt;
      spools.insert(spools.end(), own.begin(), own.end());
    }
  }
  return SumOfSpools(spools, quiet, resolve);
}

}  // namespace csink::tool

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink bench` (docs/ci.md).

namespace CLI {
class App;
}

namespace csink::tool {

struct BenchOptions {
  std::size_t most_rounds = 40;
  /// Percent, "3" or "3%". Empty: nothing is asked.
  std::string max_slowdown;
  /// The same. Empty: 1 %, and the measurement may end earlier.
  std::string precision;
  /// "auto" or the name of a metric (bench::WordOf).
  std::string metric = "auto";
  /// "text", "json" or "markdown".
  std::string format = "text";
  std::string file;  ///< Empty: stdout
  std::string input = "/dev/null";
  bool check_output = false;
  double timeout = 0;  ///< Of one run, seconds; 0: none
  /// Profiled runs of each command; 0: functions are not compared. nullopt: as many as give about
  /// a second of CPU time, 5 to 40.
  std::optional<std::size_t> profiled_runs;
  Colour colour = Colour::kAuto;
  bool quiet = false;  ///< No progress line
};

/// Adds the command `bench` with its options.
void AddBench(CLI::App& app, BenchOptions& options);

/// Runs `csink bench`. `words` is what follows the first "--": A --against -- B. Returns the exit
/// status: 0; kExitNothing if a command failed or the result could not be written; kExitUsage;
/// kExitSlower if A is slower than B by more than --max-slowdown.
int RunBench(const BenchOptions& options, const std::vector<std::string>& words,
             const report::Resolver& resolve);

}  // namespace csink::tool

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "symbolizer/commands/launch.h"
#include "symbolizer/commands/terminal.h"
#include "symbolizer/commands/view.h"

namespace CLI {
class App;
}

namespace csink::tool {

/// What `csink run` tells the agents of the tree: each option sets the variable of its name.
struct Profiling {
  std::string events;
  std::string source;
  std::string stacks;
  std::string follow;
  std::string include;
  std::string exclude;
  std::string delay;
  std::string duration;
  std::string control;
  bool start_paused = false;
  bool kernel = false;
  bool per_thread = false;
};

/// Options of `csink run` that fill in `profiling`.
void AddProfilingOptions(CLI::App& run, Profiling& profiling);
/// Options of `run` and `report` that fill in `view`.
void AddViewOptions(CLI::App& command, View& view);
/// --color of everything that writes text.
void AddColourOption(CLI::App& command, Colour& colour);
/// --by: what rows of the main table may be.
void AddByOption(CLI::App& command, report::By& by, const std::vector<std::string>& kinds);

/// The variables that were asked for. What was not asked for stays as the environment has it.
Changes ChangesOf(const Profiling& profiling);

}  // namespace csink::tool

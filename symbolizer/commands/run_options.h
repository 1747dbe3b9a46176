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

/// The settings that `csink run` passes to the agents of the tree. Each option sets the environment
/// variable of the same name.
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

/// Adds the options of `csink run` that fill `profiling`.
void AddProfilingOptions(CLI::App& run, Profiling& profiling);
/// Adds the options of `run` and `report` that fill `view`.
void AddViewOptions(CLI::App& command, View& view);
/// Adds --color, for every command that writes text.
void AddColourOption(CLI::App& command, Colour& colour);
/// Adds --by. `kinds` are the valid kinds of rows in the main table.
void AddByOption(CLI::App& command, report::By& by, const std::vector<std::string>& kinds);

/// The variables for the options that were given. Others keep their values from the environment.
Changes ChangesOf(const Profiling& profiling);

}  // namespace csink::tool

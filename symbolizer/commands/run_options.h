#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/settings/table.h"
#include "symbolizer/commands/launch.h"
#include "symbolizer/commands/terminal.h"
#include "symbolizer/commands/view.h"

namespace CLI {
class App;
}

namespace csink::tool {

/// What `csink run` tells the agents of the tree: values of settings, as its options gave them.
class Profiling {
 public:
  /// "": not asked for.
  std::string& operator[](Setting setting) { return values_[static_cast<std::size_t>(setting)]; }
  const std::string& operator[](Setting setting) const {
    return values_[static_cast<std::size_t>(setting)];
  }

 private:
  std::array<std::string, kSettingCount> values_;
};

/// Options of `csink run` that fill in `profiling`: one for each setting that has an option in
/// core/settings/table.h.
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

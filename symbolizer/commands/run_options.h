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
/// Adds the options of `run` and `report` that fill `view`.
void AddViewOptions(CLI::App& command, View& view);
/// Adds --color, for every command that writes text.
void AddColourOption(CLI::App& command, Colour& colour);
/// Adds --by. `kinds` are the valid kinds of rows in the main table.
void AddByOption(CLI::App& command, report::By& by, const std::vector<std::string>& kinds);

/// The variables for the options that were given. Others keep their values from the environment.
Changes ChangesOf(const Profiling& profiling);

}  // namespace csink::tool

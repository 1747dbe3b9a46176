#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/settings/table.h"
#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/commands/launch/launch.h"
#include "symbolizer/commands/load/view.h"

/// File: the options that several commands have, and those of `csink run` that become variables of
/// the profiled program.

namespace CLI {
class App;
}

namespace csink::tool {

/// What `csink run` tells the agents of the tree: values of settings, as its options gave them.
class Profiling {
 public:
  /// The value of a setting as text; "": not asked for.
  std::string& operator[](Setting setting) { return values_[static_cast<std::size_t>(setting)]; }
  const std::string& operator[](Setting setting) const {
    return values_[static_cast<std::size_t>(setting)];
  }

 private:
  /// By Setting.
  std::array<std::string, kSettingCount> values_;
};

/// Adds the options of `csink run` that fill in `profiling`: one for each setting that has an
/// option in core/settings/table.h. Values that the agent would refuse are refused here.
void AddProfilingOptions(CLI::App& run, Profiling& profiling);
/// The same for the settings that csink-attach follows: events, kernel mode, callers and duration.
void AddAttachOptions(CLI::App& attach, Profiling& profiling);
/// Adds the options of `run` and `report` that fill `view`. --baseline has the default
/// $CSINK_BASELINE.
void AddViewOptions(CLI::App& command, View& view);
/// Adds --color (auto, always, never), for every command that writes text.
void AddColourOption(CLI::App& command, Colour& colour);
/// Adds --by. `kinds` are the valid kinds of rows in the main table, in the words of
/// docs/reading-reports.md; other words are refused.
void AddByOption(CLI::App& command, report::By& by, const std::vector<std::string>& kinds);

/// The variables (CSINK_NAME) for the options that were given. Others keep their values from the
/// environment. Paths of FIFOs become absolute, because the program may change its folder.
Changes ChangesOf(const Profiling& profiling);

}  // namespace csink::tool

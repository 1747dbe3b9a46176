#include "symbolizer/commands/launch/run_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "core/settings/settings.h"
#include "symbolizer/commands/console/number_checks.h"

/// File: options that become settings of the agent come from the one table of settings
/// (core/settings/table.h), with its help and its checks. So `csink run`, the environment and the
/// documentation agree.

namespace csink::tool {
namespace {

/// A check that the agent would accept the value, so that a mistake is reported before the program
/// starts.
CLI::Validator UsableFor(Setting setting) {
  const auto check = [setting](const std::string& text) {
    if (IsUsable(setting, text)) return std::string();
    return text + ": expected " + ExpectationOf(setting).c_str();
  };
  return {check, ""};
}

/// The path relative to the present folder made absolute. Unchanged if the folder has no name any
/// more.
std::string Absolute(const std::string& path) {
  // getcwd(3) with a null pointer allocates the buffer (glibc).
  char* folder = path.empty() || path[0] == '/' ? nullptr : getcwd(nullptr, 0);
  if (!folder) return path;
  const std::string whole = std::string(folder) + "/" + path;
  std::free(folder);
  return whole;
}

/// Adds the option of one setting.
void AddOption(CLI::App& app, const SettingRow& row, Profiling& profiling) {
  const std::string option(row.option);
  const std::string help(row.help);
  std::string& value = profiling[row.setting];
  if (row.type == ValueType::kBool) {
    // A flag sets the setting; there is no option to unset a variable of the environment.
    app.add_flag_callback(
        option, [&value] { value = "1"; }, help);
  } else {
    app.add_option(option, value, help)
        ->check(UsableFor(row.setting))
        ->type_name(std::string(row.placeholder));
  }
}

}  // namespace

void AddProfilingOptions(CLI::App& run, Profiling& profiling) {
  for (const SettingRow& row : kSettings) {
    if (!row.option.empty()) AddOption(run, row, profiling);
  }
}

void AddAttachOptions(CLI::App& attach, Profiling& profiling) {
  for (const SettingRow& row : kSettings) {
    // Other settings need code in the process: csink-attach samples from outside.
    const bool followed = row.setting == Setting::kEvents || row.setting == Setting::kKernel ||
                          row.setting == Setting::kStacks || row.setting == Setting::kPython ||
                          row.setting == Setting::kDuration || row.setting == Setting::kWait;
    if (followed) AddOption(attach, row, profiling);
  }
}

void AddColourOption(CLI::App& command, Colour& colour) {
  const auto take = [&colour](const std::string& word) {
    colour = word == "always" ? Colour::kAlways : word == "never" ? Colour::kNever : Colour::kAuto;
  };
  command.add_option_function<std::string>("--color", take, "Bold and dim: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void AddByOption(CLI::App& command, report::By& by, const std::vector<std::string>& kinds) {
  const auto take = [&by](const std::string& word) {
    using report::By;
    static const std::pair<const char*, By> kWords[] = {
        {"functions", By::kFunctions}, {"lines", By::kLines},         {"modules", By::kModules},
        {"threads", By::kThreads},     {"processes", By::kProcesses}, {"inlines", By::kInlines},
        {"waits", By::kWaits},         {"native", By::kNative}};
    // The option's check has refused all other words.
    for (const auto& [name, value] : kWords) by = word == name ? value : by;
  };
  std::string words;
  for (const std::string& kind : kinds) words += (words.empty() ? "" : ", ") + kind;
  command.add_option_function<std::string>("--by", take, "One row for each of: " + words)
      ->check(CLI::IsMember(kinds))
      ->type_name("WHAT");
}

void AddViewOptions(CLI::App& command, View& view) {
  AddByOption(command, view.by,
              {"functions", "lines", "modules", "threads", "processes", "inlines", "native"});
  command
      .add_option("--sort", view.sort, "Column by which rows are sorted: an event, a ratio or name")
      ->type_name("COLUMN");
  // One value each time, so that a target may follow.
  command.add_option("--event", view.events, "Only this event; may be repeated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  command.add_flag("--quiet", view.quiet, "Do not show progress on stderr");
  command.add_flag("--per-thread", view.per_thread,
                   "Show threads, too: those of one name with their hottest functions, then each");
  command.add_flag("--timeline", view.time_line,
                   "Show what each thread did over time, too (at most 24; from 1 s on)");
  command.add_option("--phase", view.phase, "Only samples after the mark of this name")
      ->type_name("NAME");
  command
      .add_option("--baseline", view.baseline,
                  "Compare with an earlier run: a spool, a folder of spools or a JSON report")
      ->envname("CSINK_BASELINE")
      ->type_name("FILE");
  command
      .add_option("--fail-if-slower", view.fail_if_slower,
                  "Exit with 3 if the CPU time is proven to be more than this percentage above the "
                  "baseline's")
      ->check(NumberIn(0, 1e6))
      ->type_name("PERCENT");
}

Changes ChangesOf(const Profiling& profiling) {
  Changes changes;
  // The agent reads its settings from the environment of the program.
  for (const SettingRow& row : kSettings) {
    const std::string& value = profiling[row.setting];
    if (value.empty()) continue;
    changes.emplace_back(std::string(kSettingPrefix) + std::string(row.name),
                         // The program may change its folder before it opens the FIFO.
                         row.type == ValueType::kFifo ? Absolute(value) : value);
  }
  return changes;
}

}  // namespace csink::tool

#include "symbolizer/commands/run_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>

#include "symbolizer/commands/number_checks.h"

namespace csink::tool {
namespace {

/// Checks the form of a time such as "1.5s": digits, an optional fraction, and optionally ns, us,
/// ms, s, m or h. The agent interprets it.
std::string CheckTime(const std::string& text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
    return at > from;
  };
  bool good = digits();
  if (good && at < text.size() && text[at] == '.') {
    ++at;
    good = digits();
  }
  static const char* const kUnits[] = {"", "ns", "us", "ms", "s", "m", "min", "h"};
  bool known = false;
  for (const char* unit : kUnits) known = known || text.substr(at) == unit;
  return good && known ? "" : text + " is no time; write 1.5s or 200ms";
}

std::string Absolute(const std::string& path) {
  char* folder = path.empty() || path[0] == '/' ? nullptr : getcwd(nullptr, 0);
  if (!folder) return path;
  const std::string whole = std::string(folder) + "/" + path;
  std::free(folder);
  return whole;
}

}  // namespace

void AddProfilingOptions(CLI::App& run, Profiling& profiling) {
  run.add_option("-e,--events", profiling.events,
                 "What to sample: name, name@period or name@4kHz, separated by commas")
      ->type_name("EVENTS");
  run.add_option("--source", profiling.source, "auto, ring or timer")
      ->check(CLI::IsMember({"auto", "ring", "timer"}))
      ->type_name("SOURCE");
  run.add_option("--stacks", profiling.stacks,
                 "Record callers: fp (frame pointers), unwind (unwind tables) or off")
      ->check(CLI::IsMember({"off", "fp", "unwind"}))
      ->type_name("HOW");
  run.add_flag("--kernel", profiling.kernel, "Sample kernel mode too, where that is permitted");
  run.add_option("--follow", profiling.follow, "Which children: none, fork, exec or all")
      ->check(CLI::IsMember({"none", "fork", "exec", "all"}))
      ->type_name("WHICH");
  run.add_option("--include", profiling.include, "Only these programs are profiled")
      ->type_name("LIST");
  run.add_option("--exclude", profiling.exclude, "These programs are not profiled")
      ->type_name("LIST");
  run.add_option("--delay", profiling.delay, "Sampling begins so long after the start (1.5s)")
      ->check(CheckTime)
      ->type_name("TIME");
  run.add_option("--duration", profiling.duration, "Sampling ends so long after it began")
      ->check(CheckTime)
      ->type_name("TIME");
  run.add_flag("--start-paused", profiling.start_paused, "Do not sample until told to resume");
  run.add_option("--control", profiling.control, "A fifo in which commands are read: resume, ...")
      ->type_name("FIFO");
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
        {"threads", By::kThreads},     {"processes", By::kProcesses}, {"inlines", By::kInlines}};
    for (const auto& [name, value] : kWords) by = word == name ? value : by;
  };
  std::string words;
  for (const std::string& kind : kinds) words += (words.empty() ? "" : ", ") + kind;
  command.add_option_function<std::string>("--by", take, "What rows are: " + words)
      ->check(CLI::IsMember(kinds))
      ->type_name("WHAT");
}

void AddViewOptions(CLI::App& command, View& view) {
  AddByOption(command, view.by,
              {"functions", "lines", "modules", "threads", "processes", "inlines"});
  command.add_option("--sort", view.sort, "Column that orders the rows: an event, a ratio or name")
      ->type_name("COLUMN");
  command.add_option("--event", view.events, "Only this event; may be given again")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  command.add_flag("--quiet", view.quiet, "No progress on stderr");
  command.add_flag("--per-thread", view.per_thread, "Also a table of threads");
  command.add_option("--phase", view.phase, "Samples after the mark of this name alone")
      ->type_name("NAME");
  command
      .add_option("--baseline", view.baseline,
                  "An earlier run: a spool, a folder of spools or a JSON report; what changed")
      ->envname("CSINK_BASELINE")
      ->type_name("FILE");
  command
      .add_option("--fail-if-slower", view.fail_if_slower,
                  "Exit with 3 when the CPU time is so many percent above the baseline's")
      ->check(NumberIn(0, 1e6))
      ->type_name("PERCENT");
}

Changes ChangesOf(const Profiling& profiling) {
  Changes changes;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) changes.emplace_back(name, value);
  };
  add("CSINK_EVENTS", profiling.events);
  add("CSINK_SOURCE", profiling.source);
  add("CSINK_STACKS", profiling.stacks);
  add("CSINK_FOLLOW", profiling.follow);
  add("CSINK_INCLUDE", profiling.include);
  add("CSINK_EXCLUDE", profiling.exclude);
  add("CSINK_DELAY", profiling.delay);
  add("CSINK_DURATION", profiling.duration);
  add("CSINK_CONTROL", Absolute(profiling.control));
  if (profiling.start_paused) add("CSINK_START_PAUSED", "1");
  if (profiling.kernel) add("CSINK_KERNEL", "1");
  if (profiling.per_thread) add("CSINK_PER_THREAD", "1");
  return changes;
}

}  // namespace csink::tool

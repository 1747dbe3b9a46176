#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/output_template.h"
#include "core/util/raw_log.h"
#include "core/util/report_format.h"
#include "core/util/text.h"

namespace csink::agent {

enum class SourceChoice : unsigned char { kAuto, kRing, kTimer };
enum class Stacks : unsigned char { kOff, kFp, kUnwind };
/// Which descendants are profiled too.
enum class Follow : unsigned char {
  kNone,  ///< This image alone
  kFork,  ///< Forked children, not what they exec
  kExec,  ///< Children and the programs they become, as far as LD_PRELOAD reaches
  kAll,   ///< Also where the program gives a child an environment without us
};

/// All of the agent's environment, read once at start. Texts are copied: a
/// program may overwrite its environment to set its title.
struct Config {
  bool enable = true;
  Text<512> events;  ///< CSINK_EVENTS; empty or "auto": chosen here
  SourceChoice source = SourceChoice::kAuto;
  Text<512> output;          ///< CSINK_OUTPUT; empty: stderr
  TemplatePath output_path;  ///< The same from the root on, with %{NAME} filled in
  ReportFormat format = ReportFormat::kText;
  std::uint64_t top = 20;
  bool report = true;
  Text<400> spool_dir;  ///< CSINK_SPOOL_DIR; empty: the usual places
  bool keep = false;
  std::uint64_t min_samples = 20;
  Text<400> reporter;      ///< CSINK_REPORTER; empty: beside the agent
  std::uint64_t tree = 0;  ///< CSINK_TREE; 0: not under `csink run`
  bool doctor = false;
  bool doctor_events = false;  ///< CSINK_DOCTOR=events: list the event names
  bool kernel = false;         ///< Sample kernel mode too, where that is permitted
  Stacks stacks = Stacks::kOff;
  bool per_thread = false;  ///< The report has a table a thread
  Follow follow = Follow::kExec;
  Text<400> include;              ///< CSINK_INCLUDE; empty: every process
  Text<400> exclude;              ///< CSINK_EXCLUDE; empty: none
  std::uint64_t delay_ns = 0;     ///< Sampling begins so long after the start
  std::uint64_t duration_ns = 0;  ///< ... and ends so long after it began; 0: never
  bool start_paused = false;
  bool random_start = true;  ///< Random first periods: short threads are sampled too
  Text<400> control;         ///< CSINK_CONTROL; a fifo; empty: none
  std::uint64_t signal = 0;  ///< CSINK_SIGNAL: snapshot at this signal; 0: none
  Text<400> baseline;        ///< CSINK_BASELINE: a profile or JSON report to compare with
  std::uint64_t given = 0;   ///< Bit i: key i has a usable value (WasGiven)
};

/// Reads CSINK_* out of `environment` (NULL-terminated), CSINK_OPTIONS first: a variable
/// of its own wins over the same key there. Bad values keep their default; values that
/// contradict each other get a defined result (config_conflicts.cpp). Each mistake is one
/// warning that names what was meant, eight lines at most; the program runs on.
/// Threads: before there are any. Signals: not safe.
void ReadConfig(char* const* environment, Config& config) noexcept;

/// Whether a key ("TOP") was set to a value that could be used. Signals: safe.
bool WasGiven(const Config& config, std::string_view key) noexcept;

/// Gives values that contradict each other a defined result, with one warning each.
/// Signals: not safe.
void SettleConflicts(Config& config) noexcept;

/// Fills in `output_path`: variables from `environment`, a relative name from `directory`
/// on (where the program was started; "": not known). Signals: not safe.
void SettleOutputPath(Config& config, std::string_view directory,
                      char* const* environment) noexcept;

/// Makes a relative CSINK_SPOOL_DIR count from `directory`. Signals: not safe.
void SettleSpoolDir(Config& config, std::string_view directory) noexcept;

/// Every variable there is, for `csink doctor`: "CSINK_AGENT CSINK_DOCTOR ...". Signals: not safe.
Text<768> ListVariables() noexcept;

/// False when CSINK_ENABLE (or enable in CSINK_OPTIONS) says so: looked at before anything else is.
bool IsEnabled(char* const* environment) noexcept;

/// The value of `name` in `environment`, or nullptr. Programs define their own
/// getenv (bash does), so we read the block ourselves.
const char* FindVariable(char* const* environment, const char* name) noexcept;

}  // namespace csink::agent

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/settings/settings.h"
#include "core/util/output_template.h"
#include "core/util/raw_log.h"
#include "core/util/report_format.h"
#include "core/util/text.h"

namespace csink::agent {

// The words of each, in this order, stand in core/settings/table.h.
enum class SourceChoice : unsigned char { kAuto, kRing, kTimer };
enum class Stacks : unsigned char { kOff, kFp, kUnwind };
/// Which descendants are profiled too.
enum class Follow : unsigned char {
  kNone,  ///< This image alone
  kFork,  ///< Forked children, not what they exec
  kExec,  ///< Children and the programs they become, as far as LD_PRELOAD reaches
  kAll,   ///< Also where the program gives a child an environment without us
};

enum class Doctor : unsigned char { kOff, kOn, kEvents, kJson };
/// CSINK_VERBOSE; CSINK_LOG wins.
enum class Verbosity : unsigned char { kUsual, kInfo, kDebug };

/// All of the agent's environment, read once at start. Texts are copied: a
/// program may overwrite its environment to set its title.
struct Config {
  bool enable = DefaultBool(Setting::kEnable);
  Text<TextRoom(Setting::kEvents)> events;  ///< Empty or "auto": chosen here
  SourceChoice source = DefaultWord<SourceChoice>(Setting::kSource);
  Text<TextRoom(Setting::kOutput)> output;  ///< Empty: stderr
  TemplatePath output_path;                 ///< The same from the root on, with %{NAME} filled in
  ReportFormat format = DefaultWord<ReportFormat>(Setting::kFormat);
  std::uint64_t top = DefaultNumber(Setting::kTop);
  bool report = DefaultBool(Setting::kReport);
  Text<TextRoom(Setting::kSpoolDir)> spool_dir;  ///< Empty: the usual places
  bool keep = DefaultBool(Setting::kKeep);
  std::uint64_t min_samples = DefaultNumber(Setting::kMinSamples);
  Text<TextRoom(Setting::kReporter)> reporter;  ///< Empty: beside the agent
  std::uint64_t tree = 0;                       ///< 0: not under `csink run`
  Doctor doctor = Doctor::kOff;
  bool kernel = DefaultBool(Setting::kKernel);
  Stacks stacks = DefaultWord<Stacks>(Setting::kStacks);
  bool per_thread = DefaultBool(Setting::kPerThread);
  Follow follow = DefaultWord<Follow>(Setting::kFollow);
  Text<TextRoom(Setting::kInclude)> include;  ///< Empty: every process
  Text<TextRoom(Setting::kExclude)> exclude;  ///< Empty: none
  std::uint64_t delay_ns = DefaultNumber(Setting::kDelay);
  std::uint64_t duration_ns = DefaultNumber(Setting::kDuration);  ///< 0: until the program ends
  bool start_paused = DefaultBool(Setting::kStartPaused);
  /// Random first periods, so that short threads are sampled too.
  bool random_start = DefaultBool(Setting::kRandomStart);
  Text<TextRoom(Setting::kControl)> control;    ///< Empty: no fifo
  std::uint64_t signal = 0;                     ///< 0: no signal asks for a snapshot
  Text<TextRoom(Setting::kBaseline)> baseline;  ///< Empty: nothing to compare with
  LogLevel log = DefaultWord<LogLevel>(Setting::kLog);
  Verbosity verbose = Verbosity::kUsual;
  std::uint64_t given = 0;  ///< Bit i: setting i has a usable value (WasGiven)
};

/// Reads CSINK_* out of `environment` (NULL-terminated), CSINK_OPTIONS first: a variable
/// of its own wins over the same key there. Bad values keep their default; values that
/// contradict each other get a defined result (config_conflicts.cpp). Each mistake is one
/// warning that names what was meant, eight lines at most; the program runs on.
/// Threads: before there are any. Signals: not safe.
void ReadConfig(char* const* environment, Config& config) noexcept;

/// Sets the member of `setting` and remembers that it was given. False: the value cannot be used,
/// and nothing changes. True also for settings that others read. Signals: safe.
bool SetSetting(Config& config, Setting setting, std::string_view value) noexcept;

/// Whether a setting has a value that could be used. Signals: safe.
bool WasGiven(const Config& config, Setting setting) noexcept;

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

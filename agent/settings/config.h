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

/// CSINK_SOURCE. The words of this and the following enumerations stand in core/settings/table.h,
/// in the same order. kAuto: rings where the kernel permits them, else timers.
enum class SourceChoice : unsigned char { kAuto, kRing, kTimer };
/// CSINK_STACKS: no callers, callers by frame pointers and the agent's own tables, or with
/// libunwind for unusual rules.
enum class Stacks : unsigned char { kOff, kFp, kUnwind };
/// CSINK_PYTHON: whether samples in an interpreter get the Python function.
enum class PythonNames : unsigned char { kOff, kAuto };
/// Which descendants are profiled too.
enum class Follow : unsigned char {
  kNone,  ///< This image alone
  kFork,  ///< Forked children, not what they exec
  kExec,  ///< Children and the programs they become, as far as LD_PRELOAD reaches
  kAll,   ///< Also where the program gives a child an environment without us
};

/// CSINK_DOCTOR: off, rows for people, the list of events, one line of JSON.
enum class Doctor : unsigned char { kOff, kOn, kEvents, kJson };
/// CSINK_VERBOSE; CSINK_LOG wins.
enum class Verbosity : unsigned char { kUsual, kInfo, kDebug };

/// All settings of the agent, read once at the start. Texts are copied, because a program may
/// overwrite its environment to set its title. Names, types, defaults and help of the settings are
/// in core/settings/table.h; docs/environment.md describes them.
/// Threads: written by ReadConfig and the Settle functions at the start, and by SampledEvents
///          (kernel); read by any thread afterwards.
struct Config {
  /// Always true in a Config that is used: IsEnabled is asked before
  bool enable = DefaultBool(Setting::kEnable);
  /// Empty or "auto": the agent chooses
  Text<TextRoom(Setting::kEvents)> events;
  SourceChoice source = DefaultWord<SourceChoice>(Setting::kSource);
  Text<TextRoom(Setting::kOutput)> output;  ///< Empty: stderr
  /// `output` as an absolute path with %{NAME} filled in; the other templates are expanded by csink
  TemplatePath output_path;
  ReportFormat format = DefaultWord<ReportFormat>(Setting::kFormat);
  std::uint64_t top = DefaultNumber(Setting::kTop);  ///< Rows of the report
  /// False: the spool is left for csink report
  bool report = DefaultBool(Setting::kReport);
  /// Absolute after SettleSpoolDir; empty: the usual places (agent/results)
  Text<TextRoom(Setting::kSpoolDir)> spool_dir;
  /// The spool is kept after the report
  bool keep = DefaultBool(Setting::kKeep);
  /// With fewer there is no report
  std::uint64_t min_samples = DefaultNumber(Setting::kMinSamples);
  /// Spools in a usual place; 0: no limit
  std::uint64_t spool_limit = DefaultNumber(Setting::kSpoolLimit);
  Text<TextRoom(Setting::kReporter)> reporter;  ///< Empty: beside the agent
  /// Id of the tree of `csink run`; 0: not in a tree
  std::uint64_t tree = 0;
  Doctor doctor = Doctor::kOff;
  bool kernel = DefaultBool(Setting::kKernel);  ///< Kernel mode is sampled, too
  Stacks stacks = DefaultWord<Stacks>(Setting::kStacks);
  PythonNames python = DefaultWord<PythonNames>(Setting::kPython);
  /// The report has a part for each thread
  bool per_thread = DefaultBool(Setting::kPerThread);
  Follow follow = DefaultWord<Follow>(Setting::kFollow);
  Text<TextRoom(Setting::kInclude)> include;                      ///< Empty: every process
  Text<TextRoom(Setting::kExclude)> exclude;                      ///< Empty: none
  std::uint64_t delay_ns = DefaultNumber(Setting::kDelay);        ///< Wall time
  std::uint64_t duration_ns = DefaultNumber(Setting::kDuration);  ///< 0: until the program ends
  bool start_paused = DefaultBool(Setting::kStartPaused);         ///< A resume begins
  /// Random first periods, so that short threads are sampled too.
  bool random_start = DefaultBool(Setting::kRandomStart);
  Text<TextRoom(Setting::kControl)> control;  ///< Empty: no fifo
  /// Number of the signal that requests a snapshot; 0: none
  std::uint64_t signal = 0;
  /// Blocked threads are observed (agent/waiting)
  bool wait = DefaultBool(Setting::kWait);
  /// Waits, wakers, samples and switches are recorded with their times (agent/critical)
  bool critical = DefaultBool(Setting::kCritical);
  Text<TextRoom(Setting::kBaseline)> baseline;  ///< Empty: nothing to compare with
  LogLevel log = DefaultWord<LogLevel>(Setting::kLog);
  Verbosity verbose = Verbosity::kUsual;
  std::uint64_t given = 0;  ///< Bit i: setting i has a usable value (WasGiven)
};

/// Reads CSINK_* from `environment` (ends with nullptr), CSINK_OPTIONS first: a variable of its own
/// has precedence over the same key there. A value that cannot be used leaves the default; values
/// that contradict each other get a defined result (SettleConflicts). Each mistake gives one
/// warning that names what was meant, eight lines at most. Never fails. Threads: main, at the
/// start. Signals: not safe.
void ReadConfig(char* const* environment, Config& config) noexcept;

/// Sets the member of `setting` and notes that it was given. Returns false, and changes nothing, if
/// the value cannot be used. Returns true also for settings that the agent does not keep because
/// others read them. CSINK_LOG and CSINK_VERBOSE take effect at once. Signals: safe.
bool SetSetting(Config& config, Setting setting, std::string_view value) noexcept;

/// Whether a setting has a value that could be used. Signals: safe.
bool WasGiven(const Config& config, Setting setting) noexcept;

/// Gives values that contradict each other a defined result, with one warning each.
/// Signals: not safe.
void SettleConflicts(Config& config) noexcept;

/// Computes `output_path`: variables (%{NAME}) from `environment`; a relative name counts from
/// `directory` (where the program was started; "": unknown). A name that becomes too long is
/// dropped with a warning. Signals: not safe.
void SettleOutputPath(Config& config, std::string_view directory,
                      char* const* environment) noexcept;

/// Makes a relative CSINK_SPOOL_DIR absolute, from `directory`. A name that becomes too long is
/// dropped with a warning. Signals: not safe.
void SettleSpoolDir(Config& config, std::string_view directory) noexcept;

/// The names of all variables, separated by blanks, for `csink doctor`: "CSINK_AGENT CSINK_DOCTOR
/// ...". Signals: not safe.
Text<768> ListVariables() noexcept;

/// False if CSINK_ENABLE, or `enable` in CSINK_OPTIONS, is false. Asked before everything else;
/// prints nothing. Threads: the library's constructor.
bool IsEnabled(char* const* environment) noexcept;

/// The value of `name` in `environment`, or nullptr. The result points into the environment.
/// Programs may define getenv themselves (bash does), so the list is searched here. Signals: safe.
const char* FindVariable(char* const* environment, const char* name) noexcept;

}  // namespace csink::agent

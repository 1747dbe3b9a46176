#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/report_format.h"

/// File: the table of all CSINK_ variables. Everything that knows a name, a word or a default of
/// a setting takes it from here: the agent's parser and its messages, the configuration in the
/// spool, the options of `csink run` and their --help. scripts/generate_pages.py makes the tables
/// of docs/environment.md, and scripts/generate_man.py a man page.
///
/// The table is for the compiler and for csink. libagent.so must not contain the help texts, and
/// the pointers of the rows would be relocations of each start: lean code uses
/// core/settings/settings.h, which holds the columns that it needs without pointers.

namespace csink {

/// In the order of the table, which is the order of the configuration in a spool and of --help.
enum class Setting : unsigned char {
  kEnable,
  kOptions,
  kEvents,
  kSource,
  kKernel,
  kStacks,
  kPython,
  kOutput,
  kFormat,
  kTop,
  kPerThread,
  kBaseline,
  kReport,
  kRandomStart,
  kSpoolDir,
  kKeep,
  kMinSamples,
  kSpoolLimit,
  kFollow,
  kInclude,
  kExclude,
  kDelay,
  kDuration,
  kStartPaused,
  kControl,
  kSignal,
  kWait,
  kCritical,
  kLog,
  kVerbose,
  kTree,
  kDoctor,
  kReporter,
  kAgent,
  kCache,
  kCacheSize,
  kSourcePrefix,
  kPush,
  kPushInterval,
  kEventMacros,
};

/// What a value may look like. ReadValue and ReadChoice (settings.h) read the types up to kSignal.
enum class ValueType : unsigned char {
  kBool,          ///< 1 or 0, yes or no, on or off, true or false
  kBoolOrWord,    ///< The same, or one of the row's words
  kBoolOrFolder,  ///< The same, or a folder
  kWord,          ///< One of the row's words
  kCount,         ///< A whole number, perhaps with k, M or G
  kTime,          ///< Seconds, or a number with ns, us, ms, s, m, min or h
  kSignal,        ///< USR1, SIGUSR2, RTMIN+3, 12
  kList,          ///< This and the following: a text of a limited length
  kFile,
  kFolder,
  kFifo,
  kSettings,
};

/// The program for which the variable is meant.
enum class ReadBy : unsigned char { kAgent, kCsink, kLibpapi };

/// Whether the configuration that a spool holds has the setting. kNo: settings that belong to one
/// run alone or name csink's own files. kWhenSet: only where the value is not the default. kChosen:
/// always, with what the agent chose.
enum class InSpool : unsigned char { kNo, kWhenSet, kChosen };

/// One row of the table. All texts are static.
struct SettingRow {
  Setting setting;
  std::string_view name;  ///< Without CSINK_; in small letters the key in CSINK_OPTIONS
  ValueType type;
  /// Of kWord and kBoolOrWord, else "".
  std::string_view words;          ///< Separated by blanks, in the order of their enumerators
  std::string_view default_value;  ///< As a user would write it; "": none
  /// Without the NUL; 0: no limit, because no buffer of the agent keeps the value.
  std::uint16_t most_bytes;  ///< Of a text
  ReadBy read_by;
  InSpool in_spool;
  std::string_view option;       ///< Of `csink run`; "": none
  std::string_view placeholder;  ///< For the option's value in --help
  std::string_view help;         ///< One line, for --help and the pages
};

// A row a line would be wider than a screen: two lines each, the second one is csink run's.
// clang-format off
inline constexpr SettingRow kSettings[] = {
    // Whether there is an agent at all, and all settings in one.
    {Setting::kEnable, "ENABLE", ValueType::kBool, "", "1", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "0: the agent is inactive"},
    {Setting::kOptions, "OPTIONS", ValueType::kSettings, "", "", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "Any of these settings in one variable"},
    // What is sampled, and how.
    {Setting::kEvents, "EVENTS", ValueType::kList, "", "auto", 511, ReadBy::kAgent, InSpool::kChosen,
     "-e,--events", "EVENTS", "What to sample, at most 8: name, name@period or name@4kHz, separated by commas; topdown: why cycles were lost; auto: cycles, or task-clock where that is better"},
    {Setting::kSource, "SOURCE", ValueType::kWord, "auto ring timer", "auto", 0, ReadBy::kAgent, InSpool::kChosen,
     "--source", "SOURCE", "How samples are taken: auto, ring or timer; auto: timer only where perf is refused"},
    {Setting::kKernel, "KERNEL", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--kernel", "", "Also sample kernel mode, if that is permitted"},
    {Setting::kStacks, "STACKS", ValueType::kWord, "off fp unwind", "off", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--stacks", "HOW", "Record callers: fp (frame pointers), unwind (unwind tables) or off"},
    {Setting::kPython, "PYTHON", ValueType::kWord, "off auto", "auto", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--python", "WHEN", "Name the functions of Python programs (CPython 3.11 or later): auto or off"},
    // The report. Limits of texts are those of the agent's fixed buffers, with room for a NUL in
    // 512 or 400 bytes.
    {Setting::kOutput, "OUTPUT", ValueType::kFile, "", "", 511, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "Where the report goes (stderr); %p, %e and other parts are filled in"},
    {Setting::kFormat, "FORMAT", ValueType::kWord, kReportFormatRow, "text", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "The report's format; the binary ones and html only with CSINK_OUTPUT"},
    {Setting::kTop, "TOP", ValueType::kCount, "", "20", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "Maximum number of rows of the function table"},
    {Setting::kPerThread, "PER_THREAD", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "The report has a table for each thread"},
    {Setting::kBaseline, "BASELINE", ValueType::kFile, "", "", 399, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "A spool, profile or JSON report of an earlier run: the report shows the differences"},
    {Setting::kReport, "REPORT", ValueType::kBool, "", "1", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "0: do not write a report, keep the spool for csink report"},
    {Setting::kRandomStart, "RANDOM_START", ValueType::kBool, "", "1", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "A thread's first period has a random length, so that short threads are sampled, too; 0: a whole period"},
    // The spool, and when it becomes a report.
    {Setting::kSpoolDir, "SPOOL_DIR", ValueType::kFolder, "", "", 399, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "The folder for spools"},
    {Setting::kKeep, "KEEP", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "Keep the spool after the report was written"},
    {Setting::kMinSamples, "MIN_SAMPLES", ValueType::kCount, "", "20", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "A process with fewer samples does not write a report; while nothing about sampling or the report is set, one with fewer than 60 writes one line instead"},
    {Setting::kSpoolLimit, "SPOOL_LIMIT", ValueType::kCount, "", "64", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "Spools that ended programs may leave in the usual folder; older ones are removed; 0: no limit"},
    // Which processes.
    {Setting::kFollow, "FOLLOW", ValueType::kWord, "none fork exec all", "exec", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--follow", "WHICH", "Children to profile: none, fork, exec or all"},
    {Setting::kInclude, "INCLUDE", ValueType::kList, "", "", 399, ReadBy::kAgent, InSpool::kWhenSet,
     "--include", "LIST", "Only these processes are profiled; items as for --exclude"},
    {Setting::kExclude, "EXCLUDE", ValueType::kList, "", "", 399, ReadBy::kAgent, InSpool::kWhenSet,
     "--exclude", "LIST", "These processes are not profiled: name:, path: or args:REGEX, depth:N-M, leaf"},
    // When, and who decides while the program runs.
    {Setting::kDelay, "DELAY", ValueType::kTime, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--delay", "TIME", "Sampling begins this time after the start (1.5s)"},
    {Setting::kDuration, "DURATION", ValueType::kTime, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--duration", "TIME", "Sampling ends after this time; 0: at the end of the program"},
    {Setting::kStartPaused, "START_PAUSED", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--start-paused", "", "Do not sample until a resume command"},
    {Setting::kControl, "CONTROL", ValueType::kFifo, "", "", 399, ReadBy::kAgent, InSpool::kWhenSet,
     "--control", "FIFO", "A fifo from which commands are read: pause, resume, snapshot, reset, mark, status, stop"},
    {Setting::kSignal, "SIGNAL", ValueType::kSignal, "", "", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "Write a snapshot of the report at this signal"},
    // What threads wait for.
    {Setting::kWait, "WAIT", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--wait", "", "Also record where threads are blocked, on which lock, and where its holder is"},
    {Setting::kCritical, "CRITICAL", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "--critical", "", "Also record when threads wait, who wakes them, and when each sample was taken"},
    // Messages, and what csink run tells its processes.
    {Setting::kLog, "LOG", ValueType::kWord, "error warn info debug", "warn", 0, ReadBy::kAgent, InSpool::kWhenSet,
     "", "", "The lowest level of messages that are shown"},
    {Setting::kVerbose, "VERBOSE", ValueType::kBoolOrWord, "2", "0", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "1: as CSINK_LOG=info, 2: as debug; CSINK_LOG takes precedence"},
    {Setting::kTree, "TREE", ValueType::kCount, "", "", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "Set by csink run, not by people: the process belongs to that tree and reports nothing itself"},
    {Setting::kDoctor, "DOCTOR", ValueType::kBoolOrWord, "events json", "0", 0, ReadBy::kAgent, InSpool::kNo,
     "", "", "Print the events and the source that would be used, and the reasons, then run without profiling; events: event names; json: for programs"},
    {Setting::kReporter, "REPORTER", ValueType::kFile, "", "", 399, ReadBy::kAgent, InSpool::kNo,
     "", "", "The csink program that writes the report (the one beside libagent.so)"},
    // Read by other programs than the agent, so no buffer limits them.
    {Setting::kAgent, "AGENT", ValueType::kFile, "", "", 0, ReadBy::kCsink, InSpool::kNo,
     "", "", "The libagent.so to preload (the one beside csink: ../lib, ../lib/MULTIARCH, ../lib64)"},
    {Setting::kCache, "CACHE", ValueType::kBoolOrFolder, "", "1", 0, ReadBy::kCsink, InSpool::kNo,
     "", "", "The folder that keeps the names and lines of large modules for the next report; 1: XDG_CACHE_HOME/csink, else ~/.cache/csink; 0: none"},
    {Setting::kCacheSize, "CACHE_SIZE", ValueType::kCount, "", "256M", 0, ReadBy::kCsink, InSpool::kNo,
     "", "", "Maximum size of that folder in bytes; what was used least recently goes first"},
    {Setting::kSourcePrefix, "SOURCE_PREFIX", ValueType::kList, "", "", 0, ReadBy::kCsink, InSpool::kNo,
     "", "", "Where source files are: FROM=TO, separated by colons"},
    {Setting::kPush, "PUSH", ValueType::kList, "", "", 0, ReadBy::kCsink, InSpool::kNo,
     "--push", "URL", "Send the profile at the end to a collector or to Pyroscope"},
    {Setting::kPushInterval, "PUSH_INTERVAL", ValueType::kTime, "", "0", 0, ReadBy::kCsink, InSpool::kNo,
     "--push-interval", "TIME", "With --push: also send what came while the program runs, every TIME"},
    {Setting::kEventMacros, "EVENT_MACROS", ValueType::kFile, "", "", 0, ReadBy::kLibpapi, InSpool::kNo,
     "", "", "A file with user-defined names for unit masks and modifiers"},
};
// clang-format on
/// The number of rows.
inline constexpr std::size_t kSettingCount = sizeof kSettings / sizeof kSettings[0];

/// The row of a setting. For the compiler and for tools: see the file comment.
constexpr const SettingRow& RowOf(Setting setting) noexcept {
  return kSettings[static_cast<std::size_t>(setting)];
}

/// The `index`th of words that are separated by single blanks; "" if there are fewer. Loops over
/// words end at the empty one.
constexpr std::string_view WordAt(std::string_view words, std::size_t index) noexcept {
  std::size_t from = 0;
  for (std::size_t at = 0; at <= words.size(); ++at) {
    if (at != words.size() && words[at] != ' ') continue;
    if (index-- == 0) return {words.data() + from, at - from};
    from = at + 1;
  }
  return {};
}

/// The default of a bool, a count or a time in digits. Every byte of the default must be a digit
/// (that of CACHE_SIZE is not). Evaluated by the compiler only, so that the table itself does not
/// get into libagent.so.
consteval std::uint64_t DefaultNumber(Setting setting) {
  std::uint64_t number = 0;
  for (const char c : RowOf(setting).default_value) {
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}
/// The default of a kBool.
consteval bool DefaultBool(Setting setting) { return DefaultNumber(setting) == 1; }

/// The default among the row's words, as their enumerator: the words of a row stand in the order of
/// the enumerators. Does not compile where the default is not one of the words.
template <class Enum>
consteval Enum DefaultWord(Setting setting) {
  const SettingRow& row = RowOf(setting);
  std::size_t index = 0;
  while (WordAt(row.words, index) != row.default_value) ++index;
  return static_cast<Enum>(index);
}

/// The room for a text and its NUL, in bytes.
consteval std::size_t TextRoom(Setting setting) { return RowOf(setting).most_bytes + 1u; }

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/process/start_state.h"
#include "agent/settings/config.h"

namespace csink::agent {

/// How RunReporter ended.
enum class ReportOutcome {
  kWritten,     ///< csink succeeded; the spool is removed unless it was to be kept
  kNoReporter,  ///< The program csink was not found
  kOutOfReach,  ///< The process cannot read the spool any more (WhyOutOfReach)
  /// No child could be created, csink failed, or the report could not be written to its place; the
  /// spool exists
  kFailed,
  /// As kFailed, in a process whose memory is limited (ulimit -v): csink inherits the hard limit
  kNoMemory,
};

/// The outcome as the result of a request: 0, ENOENT (kNoReporter), EACCES (kOutOfReach), or EIO
/// for the others. Threads: any. Signals: safe.
int ErrorOf(ReportOutcome outcome) noexcept;

/// Why this process cannot read its spool any more: a changed user, a changed root directory, or a
/// lost right. A phrase for the user that begins with "the program". `owner`: the effective user
/// that created the spool. Threads: any. Signals: safe.
const char* WhyOutOfReach(const char* spool_path, std::uint32_t owner) noexcept;

/// How csink uses the name of the report's file.
enum class OutputName {
  kDistinguished,  ///< Children and ranks add a suffix to distinguish their files
  kAsNamed,        ///< The name is used unchanged
  /// kAsNamed, for a name that a command named: an existing file is replaced only if it is a report
  kOfCommand,
};

/// One run of csink: the arguments behind the program's name, and descriptors that it inherits
/// under the same numbers. kMostToolArguments and kMostToolDescriptors at most.
struct ToolRun {
  const char* const* arguments;
  std::size_t count;
  const int* inherited;
  std::size_t inherited_count;
};
inline constexpr std::size_t kMostToolArguments = 30;
inline constexpr std::size_t kMostToolDescriptors = 20;

/// Runs csink with these arguments, in the surroundings that RunReporter describes. kOutOfReach:
/// the process cannot read `spool_path`, on which csink is to work. `run` and what it points to
/// need not outlive the call. Threads: one at a time (report_lock). Signals: safe.
ReportOutcome RunTool(const Config& config, const StartState& start, const char* spool_path,
                      const ToolRun& run) noexcept;

/// Runs `csink report --at-exit` on the spool and waits for it. The child gets /dev/null as stdin
/// and stdout, the program's original stderr as stderr (or a file beside the spool, if stderr is
/// closed), the program's environment without LD_PRELOAD, LD_AUDIT and CSINK_BASELINE, an empty
/// signal mask, and soft limits of memory (RLIMIT_AS, RLIMIT_DATA) that are raised to the hard
/// ones. `min_samples`: below this number, over all images of the process, csink prints nothing.
/// `spool_path`: absolute.
///
/// The program's own wait calls do not see the child (core/machine/child.h). There is no limit of
/// time. Threads: one at a time (report_lock). Signals: safe.
ReportOutcome RunReporter(const Config& config, const StartState& start, const char* spool_path,
                          std::uint64_t min_samples, OutputName name) noexcept;

}  // namespace csink::agent

#pragma once

#include "agent/process/start_state.h"
#include "agent/settings/config.h"

namespace csink::agent {

enum class ReportOutcome {
  kWritten,     ///< csink ran and ended well; it has removed the spool unless told to keep it
  kNoReporter,  ///< the csink program was not found
  kOutOfReach,  ///< the process has become another user, or changed its root
  kFailed,  ///< no child could be made, csink failed, or what it made could not be written where
            ///< it should be; the spool is there
};

/// What becomes of the name of the file that the report goes to.
enum class OutputName : bool {
  kToldApart,  ///< Children and ranks add what tells theirs apart
  kAsNamed,    ///< Nothing is added
};

/// Runs `csink report --at-exit` on the spool and waits for it. The child gets
/// /dev/null as stdin and stdout, the program's original stderr as stderr (a file
/// beside the spool when that is gone), the program's environment without our
/// LD_PRELOAD entry, and no signal mask.
/// `min_samples`: csink stays silent below it, over all images of the process.
/// Threads: one at a time. Signals: safe.
ReportOutcome RunReporter(const Config& config, const StartState& start, const char* spool_path,
                          std::uint64_t min_samples, OutputName name) noexcept;

}  // namespace csink::agent

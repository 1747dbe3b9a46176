#pragma once

#include <string>

#include "symbolizer/report/ledger/ledger.h"

/// File: the lines about CPU time that samples do not explain. They may contain names from files
/// and are not safe for a terminal. Threads: any.

namespace csink::report {

/// The time that no profile contains, with its causes: "0.50 s of CPU time (10.0%) is in no
/// profile: 0.40 s in /bin/busybox, which is statically linked, 0.10 s unknown".
std::string OutsideNote(const Ledger& ledger);

/// Losses of more than half a percent of the time that was sampled, cause by cause: "not sampled:
/// 12 ms in threads without a ring buffer"; "" if there are none.
std::string LossLine(const Ledger& ledger);

/// CPU time of processes with a profile before the agent was ready; "" up to 5 % of the CPU time
/// and below 10 ms.
std::string BeforeAgentLine(const Ledger& ledger);

}  // namespace csink::report

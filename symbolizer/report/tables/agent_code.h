#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: samples in the agent itself. Its functions are of no interest to the program's author.
/// They are one row in every table and format; the row shows the cost of profiling.

namespace csink::report {

/// The name of the row. Shown in every table and format.
inline constexpr char kAgentCode[] = "[csink agent]";

/// Whether a module is libagent.so of csink. Java debuggers have a library of the same name, so the
/// file is searched for the agent's own symbol, csink_agent_identity. The file is read at each
/// call. False if it cannot be read.
bool IsAgentModule(const Module& module);

}  // namespace csink::report

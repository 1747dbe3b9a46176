#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: samples in the agent itself. Its functions are of no interest to the program's author.
/// They are one row in every table and format; the row shows the cost of profiling.

namespace csink::report {

inline constexpr char kAgentCode[] = "[csink agent]";

/// Whether a module is libagent.so of csink. Java debuggers have a library of the same name, so
/// that the file is searched for the agent's own symbol.
bool IsAgentModule(const Module& module);

}  // namespace csink::report

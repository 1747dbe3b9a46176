#pragma once

#include <string>

#include "profil/model/profile.h"

/// File: samples in the agent itself. Its functions mean nothing to the program's author: they are
/// one row, in every table and format, and with it what collecting costs.

namespace csink::report {

inline constexpr char kAgentCode[] = "[csink agent]";

/// Whether a module is libagent.so. Java's tools have libraries of that name, too: the file is
/// looked into for the agent's own symbol.
bool IsAgentModule(const Module& module);

}  // namespace csink::report

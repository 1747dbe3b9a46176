#pragma once

#include <string>

/// File: the end of an event's name. Threads: any.

namespace csink::report {

/// The part behind the last ':' of an event's name if it consists of modifiers (u, k, h, p, P, G, H
/// as of perf-list(1)), else empty: "task-clock:uk" -> "uk", "skx::INST_RETIRED:ANY_P" -> "".
std::string PrivilegeModifiers(const std::string& name);

}  // namespace csink::report

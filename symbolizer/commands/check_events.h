#pragma once

#include <string>

namespace csink::tool {

/// What is wrong with an event list, in words for people; empty: nothing, or it cannot be told.
/// Asks `agent` itself (CSINK_DOCTOR) in a process of this program that does nothing else: so
/// names mean what they will mean in the profiled program. `source`: as CSINK_SOURCE.
std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source);

}  // namespace csink::tool

#pragma once

#include <string>

namespace csink::tool {

/// Checks an event list. Returns what is wrong with it, as text for the user; empty: nothing is
/// wrong, or it cannot be checked. Starts this program as an idle child with `agent` and
/// CSINK_DOCTOR, so that the agent itself checks the names: they then mean the same as in the
/// profiled program. `source` is a value of CSINK_SOURCE.
std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source);

}  // namespace csink::tool

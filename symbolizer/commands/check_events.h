#pragma once

#include <string>

namespace csink::tool {

/// Checks an event list. Returns what is wrong with it, as text for the user; empty if nothing is
/// wrong, or if it cannot be checked.
///
/// Starts this program as an idle child with `agent` (path of libagent.so) and CSINK_DOCTOR, so
/// that the agent itself checks the names: they then mean the same as in the profiled program.
/// `events` is a value of CSINK_EVENTS, `source` one of CSINK_SOURCE or empty. Takes as long as
/// `csink doctor`.
std::string WhatIsWrongWithEvents(const std::string& agent, const std::string& events,
                                  const std::string& source);

}  // namespace csink::tool

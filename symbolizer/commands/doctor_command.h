#pragma once

namespace csink::tool {

/// The word that makes this program return at once: what the doctor profiles.
inline constexpr char kNothingCommand[] = "--do-nothing";

/// `csink doctor`: this program itself, doing nothing, under libagent.so with
/// CSINK_DOCTOR=1; the agent's findings go to stdout. `events`: also the events
/// that can be sampled (CSINK_DOCTOR=events). Returns the exit status.
int RunDoctor(bool events);

}  // namespace csink::tool

#pragma once

namespace csink::tool {

/// Argument that makes this program return at once. The doctor profiles csink with it.
inline constexpr char kNothingCommand[] = "--do-nothing";

/// Runs `csink doctor`: starts this program with kNothingCommand under libagent.so and
/// CSINK_DOCTOR=1; the agent's findings go to stdout. `events`: also lists the events that can be
/// sampled (CSINK_DOCTOR=events). Returns the exit status.
int RunDoctor(bool events);

}  // namespace csink::tool

#pragma once

namespace csink::tool {

/// Argument that makes this program return at once. The doctor profiles csink with it.
inline constexpr char kNothingCommand[] = "--do-nothing";

enum class Findings {
  kText,
  kJson,    ///< One object, for programs
  kEvents,  ///< The events that can be sampled
};

/// `csink doctor`: this program itself, doing nothing, under libagent.so with CSINK_DOCTOR; the
/// agent's findings go to stdout. Returns the exit status.
int RunDoctor(Findings findings);

}  // namespace csink::tool

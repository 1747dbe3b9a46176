#pragma once

/// File: `csink doctor`: what can be measured here.

namespace csink::tool {

/// Argument that makes this program return at once, before anything else. The doctor profiles csink
/// with it, because every installation has this program.
inline constexpr char kNothingCommand[] = "--do-nothing";

/// What the doctor prints.
enum class Findings {
  /// For people.
  kText,
  kJson,  ///< One object, for programs
  /// The events that can be sampled, one a line.
  kEvents,
};

/// `csink doctor`: runs this program itself, doing nothing, under libagent.so with CSINK_DOCTOR;
/// the agent's findings go to stdout. Returns the exit status: that of the child, or kExitNothing
/// if there is no agent or the output cannot be written.
int RunDoctor(Findings findings);

}  // namespace csink::tool

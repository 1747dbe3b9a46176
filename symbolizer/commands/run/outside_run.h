#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/launch.h"

/// File: runs a program that csink-attach samples from outside, because the agent cannot be
/// preloaded into it.

namespace csink::tool {

/// Whether `csink run` samples a program with this obstacle from outside. The kernel removes events
/// from a program that gets other rights by its set-id bits or file capabilities, so there they
/// cannot be inherited over the exec.
constexpr bool IsRunFromOutside(PreloadObstacle obstacle) {
  return obstacle == PreloadObstacle::kStatic || obstacle == PreloadObstacle::kMusl ||
         obstacle == PreloadObstacle::kOtherMachine;
}

struct OutsideRun {
  std::string attacher;  ///< The absolute path of csink-attach
  /// The agent, for children that can be preloaded, if perf events are refused. Empty: never.
  std::string agent;
  Changes changes;  ///< Settings, the tree and its folder
};

/// Runs `command` as RunChild does. The child waits before it executes the program, until
/// csink-attach has opened its events, which begin with the exec and are inherited by all children.
/// If that fails, a line on stderr says why, and the program runs unsampled. csink-attach has ended
/// and the spools are complete when this function returns. `failed`: set if csink-attach could not
/// sample or could not write a spool, which it has said on stderr.
Ended RunFromOutside(const std::vector<std::string>& command, const OutsideRun& run, bool& failed);

}  // namespace csink::tool

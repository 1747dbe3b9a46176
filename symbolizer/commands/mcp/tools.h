#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/mcp/protocol.h"

namespace csink::tool::mcp {

/// The tools of the server: list, findings, show, diff; with `run_folder` also run, which starts
/// programs and keeps their profiles in folders below it. Answers have at most kMostAnswerBytes.
std::vector<Tool> MakeTools(const std::string& run_folder);

inline constexpr std::size_t kMostAnswerBytes = 6000;

}  // namespace csink::tool::mcp

#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// File: names of events short enough for the head of a column.

namespace csink::report {

inline constexpr std::size_t kHeadColumns = 8;

/// One name for each event, of at most kHeadColumns columns and unlike each other: the name itself
/// where it is short enough, else without its PMU and modifiers, its words cut:
/// "branch-misses:u" -> "br-miss".
std::vector<std::string> EventHeads(const std::vector<std::string>& names);

}  // namespace csink::report

#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// File: event names that are short enough for the head of a column.

namespace csink::report {

/// Widest head of an event, in terminal columns.
inline constexpr std::size_t kHeadColumns = 8;

/// One name for each event, at most kHeadColumns columns wide, all different: the name itself if it
/// is short enough; else without PMU and modifiers, with shortened words: "branch-misses:u" ->
/// "br-miss". Equal heads are numbered: "br-miss", "br-mis#2". Names are made printable.
std::vector<std::string> EventHeads(const std::vector<std::string>& names);

}  // namespace csink::report

#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: from the profile's callers to who called each function, and to the tree of call paths.

namespace csink::report {

/// The name of what lies above a chain that could not be followed to its end.
inline constexpr char kCutName[] = "[cut]";
/// The caller of a sample whose stack could not be looked at.
inline constexpr char kUnknownCaller[] = "[not known]";

/// Fills call_functions, call_tree and the callers of the functions; nothing where the profile has
/// no callers. `function_of_place`: as AddFunctions says. Time and memory grow with places and
/// callers, not with the depth of the stacks.
void AddCallers(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report

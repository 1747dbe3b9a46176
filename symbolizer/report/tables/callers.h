#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: computes from the profile's callers who called each function, and the tree of call paths.

namespace csink::report {

/// Name of the unknown callers above a chain that was cut: too deep, broken, or not readable.
inline constexpr char kCutName[] = "[cut]";
/// Name of the caller of a sample whose stack could not be walked at all.
inline constexpr char kUnknownCaller[] = "[not known]";

/// Indices into Report::call_tree; empty without callers.
struct CallNodes {
  std::vector<std::uint32_t> of_place;   ///< By index into Profile::places
  std::vector<std::uint32_t> of_caller;  ///< By index into Profile::callers
};

/// Fills call_functions, call_tree and FunctionRow::callers; nothing if the profile has no callers.
/// `function_of_place` is the result of AddFunctions. Time and memory grow with the number of
/// places and callers, not with the depth of stacks. Functions of call_tree and rows of functions
/// use the same FunctionKey.
CallNodes AddCallers(Report& report, const Names& names,
                     const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report

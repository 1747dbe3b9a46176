#pragma once

#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/comparison.h"

namespace csink::report {

/// Finds executables that have different names on the two sides but are the same program, such as
/// app-old and app-new: the main programs, if neither ran on the other side; otherwise, if each
/// side ran exactly one program that the other did not, these two. Libraries are never matched. All
/// names are base names.
std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then);

}  // namespace csink::report

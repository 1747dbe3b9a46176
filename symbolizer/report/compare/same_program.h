#pragma once

#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/comparison.h"

/// File: decides which executables of two builds are compared with each other.

namespace csink::report {

/// Finds executables that have different names on the two sides but are the same program, such as
/// app-old and app-new: the main programs, if neither ran on the other side; then, if each side ran
/// exactly one other program that the other did not, these two as well. Libraries are never
/// matched, because builds keep their names. All names are base names. The main program of a side
/// must be the same in all its runs.
std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then);

}  // namespace csink::report

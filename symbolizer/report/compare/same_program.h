#pragma once

#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/comparison.h"

namespace csink::report {

/// Executables that are called differently on both sides and are the same program all the same:
/// app-old and app-new. The main programs, if neither ran on the other side; then, if each side
/// ran one that the other did not, these two. Libraries are never among them. Names are base
/// names.
std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then);

}  // namespace csink::report

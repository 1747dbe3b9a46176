#pragma once

#include <cstddef>
#include <vector>

#include "symbolizer/report/annotate/annotation.h"

/// File: the code of one function in two builds, side by side.

namespace csink::report {

/// An instruction of both sides, or of one: the other is nullptr. Points into the annotations.
struct CodePair {
  const annotate::CodeLine* was = nullptr;
  const annotate::CodeLine* now = nullptr;
};

/// Pairs equal instructions (WithoutAddresses) so that as many as possible meet, in their order; of
/// what lies between them first those of A, then those of B. Functions of which one has more than
/// kMostAligned instructions are paired from both ends only. Threads: any.
std::vector<CodePair> AlignCode(const std::vector<annotate::CodeLine>& was,
                                const std::vector<annotate::CodeLine>& now);
inline constexpr std::size_t kMostAligned = 4000;

}  // namespace csink::report

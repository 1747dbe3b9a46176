#pragma once

#include <set>
#include <vector>

#include "symbolizer/report/causes/code_side.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/data/change_causes.h"
#include "symbolizer/report/data/comparison.h"

/// File: why the runs B took longer than the runs A. docs/causes.md describes the rules and their
/// measured rates of right and wrong causes.

namespace csink::report {

/// What the code of the functions must be read for: functions with samples that changed most, and
/// those that tell the speed of the machine. By names as in reports; both sides.
struct WantedCode {
  std::set<CodeSide::Key> was;
  std::set<CodeSide::Key> now;
};
/// Empty if the comparison cannot have causes that need code: no part of the time is larger.
WantedCode CodeWanted(const Comparison& comparison, const std::vector<Baseline>& now,
                      const std::vector<Baseline>& then);

/// How the sides are called in sentences.
struct SideNames {
  const char* then = "A";
  const char* now = "B";
};

/// Finds the causes. `comparison` was made of these runs by functions. `now_code`, `then_code`: of
/// the functions that CodeWanted names; nullptr: not known, and then no cause of the code is named.
ChangeCauses FindCauses(const Comparison& comparison, const std::vector<Baseline>& now,
                        const std::vector<Baseline>& then, const CodeSide* now_code,
                        const CodeSide* then_code, const SideNames& names = {});

}  // namespace csink::report

#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/data/change_causes.h"
#include "symbolizer/report/text/table.h"

/// File: writes why runs became slower (docs/causes.md), for terminals and for other texts.

namespace csink::report {

/// A cause in one sentence, without its grade: subject, fact, share of the added time, what would
/// make it surer. Unprintable bytes are replaced.
std::string CauseSentence(const ChangeCause& cause);

/// The causes that are shown: the first kMostCauses, then those of further functions that are more
/// than seen, kMostCauses for each.
std::vector<const ChangeCause*> ShownCauses(const ChangeCauses& causes);

/// One sentence before them: how much time was added, or that none was, or why nothing was
/// searched.
std::string CausesHead(const ChangeCauses& causes);

/// One sentence for a change without a cause that is more than seen, with what was missing; "":
/// there is such a cause, or nothing became slower.
std::string NoCauseWords(const ChangeCauses& causes);

/// A line of a text about causes.
struct CauseLine {
  const char* label;  ///< "why", a grade, or "none"
  std::string text;
};
/// All of it: the head, the shown causes, and what is said without one. Empty if nothing was
/// searched, or nothing became slower and nothing differs.
std::vector<CauseLine> CauseLines(const ChangeCauses& causes);
/// The same for a terminal. Ends in a newline.
std::string CausesText(const ChangeCauses& causes, const TextStyle& style);

}  // namespace csink::report

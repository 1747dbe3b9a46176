#include <algorithm>

#include "symbolizer/report/causes/rules.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: time in code of libraries, by the closed lists of wording/library_classes.h.

namespace csink::report {
namespace {

constexpr double kLevel = 0.01;
constexpr double kLeastShare = 0.25;
/// Less than this part of B's time in A: the code is new in B.
constexpr double kNewBelow = 0.3;

ChangeCauseKind KindOf(LibraryClass code) {
  switch (code) {
    case LibraryClass::kException:
      return ChangeCauseKind::kException;
    case LibraryClass::kAllocation:
      return ChangeCauseKind::kAllocation;
    case LibraryClass::kRegex:
      return ChangeCauseKind::kRegex;
    case LibraryClass::kLock:
      return ChangeCauseKind::kLockCode;
    case LibraryClass::kContainer:
      return ChangeCauseKind::kContainer;
    case LibraryClass::kHash:
      return ChangeCauseKind::kHash;
    case LibraryClass::kFormat:
      return ChangeCauseKind::kFormat;
    case LibraryClass::kString:
      return ChangeCauseKind::kString;
    case LibraryClass::kCopy:
      return ChangeCauseKind::kCopy;
    default:
      return ChangeCauseKind::kCFunction;
  }
}

/// The function of the class that has most time in B, by its share of that run.
std::string MostIn(const ChangeEvidence& evidence, LibraryClass code) {
  std::string most;
  double share = 0;
  for (const Baseline& run : evidence.sides().now) {
    for (const RunDetails::Source& source : run.details.sources) {
      if (source.share <= share || LibraryClassOf(source.function, source.module) != code) continue;
      share = source.share;
      most = source.function;
    }
  }
  return most;
}

}  // namespace

void AddLibraryCode(const ChangeEvidence& evidence, Causes& causes) {
  if (!evidence.is_slower()) return;
  for (std::size_t i = 1; i < kLibraryClasses; ++i) {
    const auto code = static_cast<LibraryClass>(i);
    const Amounts& seconds = evidence.library()[i];
    const double share = evidence.ShareOf(seconds.Added());
    if (seconds.p_value > kLevel || share < kLeastShare) continue;
    const bool is_new = seconds.was_mean < kNewBelow * seconds.now_mean;
    ChangeCause cause;
    cause.kind = KindOf(code);
    cause.share = share;
    cause.grade = GradeOf(share, is_new);
    // The table was there before: more look-ups, or longer chains.
    const bool longer = code == LibraryClass::kHash && !is_new;
    cause.fact = std::string(WordsFor(code)) + ": " + Duration(seconds.was_mean) + " in {A}, " +
                 Duration(seconds.now_mean) + " in {B}";
    if (longer) {
      cause.fact += ": longer chains (hash, load factor), or more look-ups";
    } else if (const std::string most = MostIn(evidence, code); !most.empty()) {
      cause.fact += ", most in " + ShortenFunction(most, 60);
    }
    if (!is_new && cause.grade == CauseGrade::kLikely) {
      cause.next = "csink diff --by lines shows which calls grew";
    }
    Add(std::move(cause), causes);
  }
}

}  // namespace csink::report

#include "symbolizer/report/data/change_causes.h"

namespace csink::report {
namespace {

struct Kind {
  const char* key;
  CauseGrade highest;
  int order;
};

constexpr Kind kKinds[] = {
#define CSINK_CHANGE_CAUSE(kind, key, highest, order) {key, CauseGrade::highest, order},
#include "symbolizer/report/data/change_cause_kinds.inc"
#undef CSINK_CHANGE_CAUSE
};

const Kind& RowOf(ChangeCauseKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

const char* WordFor(CauseGrade grade) {
  switch (grade) {
    case CauseGrade::kSeen:
      return "seen";
    case CauseGrade::kLikely:
      return "likely";
    case CauseGrade::kProved:
      return "proved";
  }
  return "";
}

const char* KeyOf(ChangeCauseKind kind) { return RowOf(kind).key; }
CauseGrade HighestOf(ChangeCauseKind kind) { return RowOf(kind).highest; }
int OrderOf(ChangeCauseKind kind) { return RowOf(kind).order; }

}  // namespace csink::report

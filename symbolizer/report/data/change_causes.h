#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// File: why one group of runs took longer than another, as data. causes/find_causes.h finds it;
/// docs/causes.md describes it for users. A is the earlier side, B the later one.

namespace csink::report {

/// How sure a cause is.
enum class CauseGrade : std::uint8_t {
  kSeen,    ///< The fact differs; its share of the added time cannot be told
  kLikely,  ///< It agrees with the added time
  kProved,  ///< The added time stands on what the cause names, which A does not have
};
/// "seen", "likely", "proved".
const char* WordFor(CauseGrade grade);

enum class ChangeCauseKind : std::uint8_t {
#define CSINK_CHANGE_CAUSE(kind, key, highest, order) kind,
#include "symbolizer/report/data/change_cause_kinds.inc"
#undef CSINK_CHANGE_CAUSE
};
/// Of the table of kinds.
const char* KeyOf(ChangeCauseKind kind);
CauseGrade HighestOf(ChangeCauseKind kind);
int OrderOf(ChangeCauseKind kind);

/// One cause with its evidence.
struct ChangeCause {
  ChangeCauseKind kind = ChangeCauseKind::kCode;
  CauseGrade grade = CauseGrade::kSeen;
  /// Of the added time, what stands on the named thing; above 1 where other things became faster.
  /// nullopt: cannot be told.
  std::optional<double> share;
  /// The function that it is about; empty: the run.
  std::string function;
  std::string module;
  /// What was seen, with the fact of A and that of B: a sentence without its end.
  std::string fact;
  /// What would make it surer; empty: nothing more to do.
  std::string next;
};

/// A part of the time of a run: user, kernel, blocked. Means of the runs in seconds.
struct TimePart {
  std::string name;
  double was = 0;
  double now = 0;
  double p_value = 1;
  bool has_changed = false;  ///< p below 1 %, and more than 3 % of the whole time of A
};

/// The result of a search.
struct ChangeCauses {
  /// Why nothing was searched, as text for the user; empty: it was.
  std::string refusal;
  std::vector<TimePart> parts;
  /// A part has grown. Otherwise the causes are facts that differ, all "seen".
  bool is_slower = false;
  double added_seconds = 0;  ///< Of the parts that have changed
  /// Ratio B / A of functions with the same code, by which user times were divided; nullopt: fewer
  /// than four such functions.
  std::optional<double> drift;
  /// By grade, then by the order of kinds, then by share.
  std::vector<ChangeCause> causes;
  /// What would have been needed and was not there: "binaries of A: app (no file)".
  std::vector<std::string> missing;
};
/// So many are shown for a run, and so many for each function.
inline constexpr std::size_t kMostCauses = 3;

}  // namespace csink::report

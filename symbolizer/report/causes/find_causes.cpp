#include "symbolizer/report/causes/find_causes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "profil/statistics/amount_tests.h"
#include "symbolizer/report/causes/rules.h"

/// File: applies the rules in their order, then what one cause says about another.

namespace csink::report {
namespace {

/// Functions whose code is read: those that changed most, and the largest ones.
constexpr std::size_t kMostChanged = 16;
constexpr std::size_t kMostLarge = 12;
constexpr double kLeastSeconds = 0.03;

/// The rules write these for the sides.
constexpr const char* kThenMark = "{A}";
constexpr const char* kNowMark = "{B}";

void Replace(std::string& text, const std::string& mark, const char* name) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    text.replace(at, mark.size(), name);
    at += std::char_traits<char>::length(name);
  }
}

bool Has(const std::vector<ChangeCauseKind>& kinds, ChangeCauseKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// Causes that only say that unchanged code took longer.
bool IsOfUnchangedCode(ChangeCauseKind kind) {
  using enum ChangeCauseKind;
  return Has({kMemory, kMoreWork, kDenormal, kHash, kCopy, kAllocation, kString, kRegex, kContainer,
              kFormat, kCFunction},
             kind);
}

/// Where nothing differs that could change what the program does, only the machine can have.
void JudgeUnchanged(const ChangeEvidence& evidence, Causes& causes) {
  for (ChangeCause& cause : causes) {
    using enum ChangeCauseKind;
    if (evidence.nothing_differs() && IsOfUnchangedCode(cause.kind))
      cause.grade = CauseGrade::kSeen;
    if (!Has({kMemory, kMoreWork, kDenormal}, cause.kind)) continue;
    for (const ChangeEvidence::Function& function : evidence.functions()) {
      if (function.name != cause.function || function.module != cause.module) continue;
      if (evidence.IsSameCode(function) && !evidence.StandsOut(function)) {
        cause.grade = CauseGrade::kSeen;
      }
    }
  }
}

/// What follows from a lower level of optimisation is no cause beside it, and options are none
/// where something else is named.
void JudgeOptions(Causes& causes) {
  using enum ChangeCauseKind;
  const auto is_level = [](const ChangeCause& cause) {
    return Has({kNotOptimised, kOptimisation}, cause.kind) && cause.grade == CauseGrade::kLikely;
  };
  if (std::any_of(causes.begin(), causes.end(), is_level)) {
    for (ChangeCause& cause : causes) {
      if (!Has({kNotInlined, kCode, kMemory}, cause.kind) || cause.grade == CauseGrade::kSeen) {
        continue;
      }
      cause.grade = CauseGrade::kSeen;
      cause.fact += " (follows from the options)";
    }
  }
  const bool is_other = std::any_of(causes.begin(), causes.end(), [](const ChangeCause& cause) {
    if (cause.grade == CauseGrade::kSeen || cause.share.value_or(0) < kLikelyShare ||
        cause.kind == kVector) {
      return false;
    }
    return cause.grade == CauseGrade::kProved ||
           !Has({kNotOptimised, kOptimisation, kFlags, kMemory, kNotInlined, kMoreWork},
                cause.kind);
  });
  for (ChangeCause& cause : causes) {
    if (is_other && Has({kNotOptimised, kOptimisation, kFlags}, cause.kind)) {
      cause.grade = CauseGrade::kSeen;
    }
  }
}

/// Where calls of the kernel or waits explain as much, library code that makes them is no proof.
void JudgeLibraryCode(Causes& causes) {
  using enum ChangeCauseKind;
  const bool is_called = std::any_of(causes.begin(), causes.end(), [](const ChangeCause& cause) {
    return Has({kWriteCalls, kReadCalls, kFsync, kLock, kSleep, kWait}, cause.kind) &&
           cause.share.value_or(0) >= kLikelyShare;
  });
  for (ChangeCause& cause : causes) {
    if (is_called && Has({kException, kRegex, kString, kFormat, kContainer}, cause.kind)) {
      cause.grade = std::min(cause.grade, CauseGrade::kLikely);
    }
  }
}

/// Beside a cause of the same function, what every slower function shows is no cause of its own.
void JudgeRest(Causes& causes) {
  using enum ChangeCauseKind;
  std::set<std::string> proved;
  std::set<std::string> named;
  for (const ChangeCause& cause : causes) {
    if (cause.function.empty() || cause.grade == CauseGrade::kSeen) continue;
    named.insert(cause.function);
    if (cause.grade == CauseGrade::kProved) proved.insert(cause.function);
  }
  std::erase_if(causes, [&](const ChangeCause& cause) {
    if (Has({kMemory, kMoreWork, kDenormal}, cause.kind)) return proved.contains(cause.function);
    return cause.kind == kCode && named.contains(cause.function);
  });
}

/// One cause of a kind for each function, the surest; facts that are only seen stay, each once.
void KeepSurest(Causes& causes) {
  std::stable_sort(causes.begin(), causes.end(), [](const ChangeCause& a, const ChangeCause& b) {
    if (a.grade != b.grade) return a.grade > b.grade;
    if (OrderOf(a.kind) != OrderOf(b.kind)) return OrderOf(a.kind) > OrderOf(b.kind);
    return a.share.value_or(0) > b.share.value_or(0);
  });
  std::set<std::pair<ChangeCauseKind, std::string>> known;
  std::erase_if(causes, [&](const ChangeCause& cause) {
    const std::string subject = cause.function.empty() ? cause.fact : cause.function;
    return !known.emplace(cause.kind, subject).second;
  });
}

/// What was not recorded, or could not be read.
std::vector<std::string> MissingOf(const ChangeEvidence& evidence, const CodeSide* now_code,
                                   const CodeSide* then_code, const SideNames& names) {
  std::vector<std::string> missing;
  const auto of_code = [&](const CodeSide* code, const char* side) {
    if (code == nullptr) {
      missing.push_back(std::string("code of ") + side +
                        ": its runs are JSON reports, or a spool could not be read");
      return;
    }
    for (const std::string& one : code->missing) missing.push_back(one + " (" + side + ")");
    if (code->other_machine) {
      missing.push_back(std::string("classes of instructions of ") + side +
                        ": they are known of x86-64 alone");
    }
  };
  of_code(then_code, names.then);
  of_code(now_code, names.now);
  // Of a program whose file is another one now, or is stripped, functions do not meet.
  constexpr double kLeastUnnamed = 0.05;  // Seconds of a run
  for (const ChangeEvidence::Function& function : evidence.functions()) {
    const auto add = [&](const std::string& name, const std::string& module, double seconds,
                         DiffSide side, const char* of) {
      if (!name.starts_with("[" + module) || seconds < kLeastUnnamed) return;
      if (!evidence.IsProgram(module, side)) return;
      std::string text = "functions of " + module + " in " + of +
                         ": the file that ran is not there any more, or has no symbols";
      if (std::find(missing.begin(), missing.end(), text) == missing.end()) {
        missing.push_back(std::move(text));
      }
    };
    add(function.was_name, function.was_module, function.seconds.was_mean, DiffSide::kThen,
        names.then);
    add(function.name, function.module, function.seconds.now_mean, DiffSide::kNow, names.now);
  }
  if (!evidence.HasWaits()) missing.emplace_back("waits: record them with csink run --wait");
  if (!evidence.HasFacts()) {
    missing.emplace_back("calls and surroundings: not every run has recorded them");
  } else if (!evidence.HasCalls()) {
    missing.emplace_back("calls and bytes: /proc/PID/io could not be read");
  }
  return missing;
}

/// Why nothing can be said; empty: it can.
std::string RefusalOf(const Comparison& comparison) {
  if (comparison.event.empty()) return "the runs have no event in common";
  if (!comparison.is_clock)
    return "causes need a clock event (task-clock), not " + comparison.event;
  if (!comparison.between_runs) {
    return "causes need " + std::to_string(kLeastTestedRuns) + " runs a side at least";
  }
  return "";
}

}  // namespace

CauseGrade GradeOf(double share, bool is_new) {
  if (share >= kProvedShare && is_new) return CauseGrade::kProved;
  return share >= kLikelyShare ? CauseGrade::kLikely : CauseGrade::kSeen;
}

void Add(ChangeCause cause, Causes& causes) {
  cause.grade = std::min(cause.grade, HighestOf(cause.kind));
  causes.push_back(std::move(cause));
}

WantedCode CodeWanted(const Comparison& comparison, const std::vector<Baseline>& now,
                      const std::vector<Baseline>& then) {
  WantedCode wanted;
  if (!RefusalOf(comparison).empty()) return wanted;
  const ChangeEvidence evidence({comparison, now, then});
  // Whatever its p-value is: functions with the same code may show that the machine was slower.
  if (!evidence.MayBeSlower()) return wanted;
  std::vector<const ChangeEvidence::Function*> changed;
  for (const ChangeEvidence::Function& function : evidence.functions())
    changed.push_back(&function);
  std::vector<const ChangeEvidence::Function*> large = changed;
  const auto first = [](std::vector<const ChangeEvidence::Function*>& list, std::size_t most,
                        auto size) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto* a, const auto* b) { return size(*a) > size(*b); });
    if (list.size() > most) list.resize(most);
  };
  first(changed, kMostChanged, [](const ChangeEvidence::Function& function) {
    const double added = function.seconds.Added();
    return added < 0 ? -added : added;
  });
  const auto least = [](const ChangeEvidence::Function& function) {
    return std::min(function.seconds.was_mean, function.seconds.now_mean);
  };
  first(large, kMostLarge, least);
  std::erase_if(large, [&](const auto* function) { return least(*function) < kLeastSeconds; });
  changed.insert(changed.end(), large.begin(), large.end());
  // A function whose calls are looked for may have no time of its own that changed.
  for (const ChangeEvidence::Function* function : changed) {
    wanted.now.emplace(function->name, function->module);
    if (!function->was_name.empty()) wanted.was.emplace(function->was_name, function->was_module);
  }
  return wanted;
}

ChangeCauses FindCauses(const Comparison& comparison, const std::vector<Baseline>& now,
                        const std::vector<Baseline>& then, const CodeSide* now_code,
                        const CodeSide* then_code, const SideNames& names) {
  ChangeCauses result;
  result.refusal = RefusalOf(comparison);
  if (!result.refusal.empty()) return result;
  const ComparedSides sides{comparison, now, then, now_code, then_code};
  const ChangeEvidence evidence(sides);
  result.parts = evidence.parts();
  result.is_slower = evidence.is_slower();
  result.added_seconds = evidence.added();
  result.drift = evidence.drift();
  AddSurroundings(evidence, result.causes);
  AddLibraries(evidence, result.causes);
  AddWaits(evidence, result.causes);
  AddSystem(evidence, result.causes);
  AddLibraryCode(evidence, result.causes);
  AddCode(evidence, result.causes);
  AddOptions(evidence, result.causes);
  JudgeLibraryCode(result.causes);
  JudgeUnchanged(evidence, result.causes);
  JudgeOptions(result.causes);
  JudgeRest(result.causes);
  // Facts that differ between runs of the same speed explain nothing.
  if (!result.is_slower) {
    for (ChangeCause& cause : result.causes) {
      cause.grade = CauseGrade::kSeen;
      cause.share.reset();
    }
  }
  KeepSurest(result.causes);
  for (ChangeCause& cause : result.causes) {
    for (std::string* text : {&cause.fact, &cause.next}) {
      Replace(*text, kThenMark, names.then);
      Replace(*text, kNowMark, names.now);
    }
  }
  // Where nothing grew, code was not read, and nothing is missing.
  if (result.is_slower) result.missing = MissingOf(evidence, now_code, then_code, names);
  return result;
}

}  // namespace csink::report

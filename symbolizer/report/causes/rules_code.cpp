#include <algorithm>
#include <set>

#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/causes/rules.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the code of the functions that grew: what is new in it, and whether the added time stands
/// there.

namespace csink::report {
namespace {

/// Instructions with less of the added time are not named.
constexpr double kNamedShare = 0.15;

using Function = ChangeEvidence::Function;
using annotate::PlainName;

std::string PercentText(double part) { return FixedText(100 * part, 0) + " %"; }

/// A cause of one function.
ChangeCause CauseOf(const Function& function, ChangeCauseKind kind, CauseGrade grade,
                    double share) {
  ChangeCause cause;
  cause.kind = kind;
  cause.grade = grade;
  cause.share = share;
  cause.function = function.name;
  cause.module = function.module;
  return cause;
}

double ShareIn(const CodeFacts& code, InstructionClasses one) {
  return code.seconds > 0 ? code.SecondsOf(one) / code.seconds : 0;
}

/// Whether the name is one of a function that only checks: it ends the program, or reports.
bool IsCheck(const std::string& target) {
  for (const char* word : {"__glibcxx_assert_fail", "__assert_fail", "__assert_rtn", "_assert",
                           "panic", "__ubsan_", "__asan_report", "__tsan_", "__stack_chk_fail",
                           "__chk_fail", "std::__throw_out_of_range"}) {
    if (target.find(word) != std::string::npos) return true;
  }
  return target == "abort" || target == "abort@plt";
}

/// Whether the line says that it checks.
bool IsCheckLine(const std::string& line) {
  for (const char* word : {"assert", "requires_subscript", "requires_nonempty", "panic"}) {
    if (line.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Fewer samples on packed instructions, or on narrower ones.
void AddVector(const Function& function, double share, Causes& causes) {
  const CodeFacts& was = *function.was_code;
  const CodeFacts& now = *function.now_code;
  const double was_part = ShareIn(was, kPacked);
  const double now_part = ShareIn(now, kPacked);
  const bool lost = was_part >= 0.4 && now_part <= 0.5 * was_part;
  const bool narrower = was_part >= 0.3 && now_part >= 0.3 && now.vector_bytes != 0 &&
                        now.vector_bytes < was.vector_bytes;
  if (!lost && !narrower) return;
  // Lost vector code cannot cost more than its lanes, with some room for what goes with it.
  const double lanes =
      static_cast<double>(std::max(was.vector_bytes, 16u)) / (was.lane_bytes == 8 ? 8 : 4);
  const double slower = now.seconds / std::max(was.seconds, 1e-3);
  const bool explains = slower <= 2 * lanes;
  ChangeCause cause = CauseOf(function, ChangeCauseKind::kVector,
                              explains ? GradeOf(share, true) : CauseGrade::kSeen, share);
  const auto samples = [](double part, unsigned bytes) {
    return PercentText(part) + " of its samples on packed instructions" +
           (bytes != 0 ? " of " + std::to_string(bytes) + " bytes" : "");
  };
  cause.fact = std::string(lost ? "lost its vector code" : "has narrower vector code") + " (" +
               samples(was_part, was.vector_bytes) + " in {A}, " +
               samples(now_part, now.vector_bytes) + " in {B})";
  if (!explains) {
    cause.fact += ", but is " + FixedText(slower, 1) + " times slower, more than " +
                  FixedText(lanes, 0) + " lanes explain";
  }
  Add(std::move(cause), causes);
}

/// Instructions that take long, new in B or more of them.
void AddSlowInstructions(const ChangeEvidence& evidence, const Function& function, Causes& causes) {
  const CodeFacts& was = *function.was_code;
  const CodeFacts& now = *function.now_code;
  struct Slow {
    InstructionClasses one;
    const char* words;
    ChangeCauseKind kind;
  };
  constexpr Slow kSlowOnes[] = {
      {kDivides, "divisions", ChangeCauseKind::kDivision},
      {kLocked, "locked instructions", ChangeCauseKind::kAtomic},
      {kRepeats, "block copies (rep)", ChangeCauseKind::kBlockCopy},
      {kIndirect, "indirect calls or jumps", ChangeCauseKind::kIndirect},
  };
  for (const Slow& slow : kSlowOnes) {
    const double share = evidence.ShareOf(now.SecondsOf(slow.one) - was.SecondsOf(slow.one));
    const bool is_new = was.SecondsOf(slow.one) < 0.4 * now.SecondsOf(slow.one);
    if (share < kNamedShare || now.CountOf(slow.one) <= was.CountOf(slow.one) || !is_new) continue;
    ChangeCause cause = CauseOf(function, slow.kind, GradeOf(share, is_new), share);
    cause.fact = std::string(slow.words) + ": " + std::to_string(was.CountOf(slow.one)) +
                 " in its code in {A}, " + std::to_string(now.CountOf(slow.one)) + " in {B}";
    Add(std::move(cause), causes);
  }
}

void AddChecks(const ChangeEvidence& evidence, const Function& function, double share,
               Causes& causes) {
  if (share < kLikelyShare) return;
  const CodeFacts& was = *function.was_code;
  const CodeFacts& now = *function.now_code;
  std::string check;
  for (const std::string& target : now.targets) {
    if (IsCheck(target) && !was.targets.contains(target)) {
      check = target;
      break;
    }
  }
  if (check.empty()) return;
  const auto seconds = [](const CodeFacts& code) {
    double sum = 0;
    for (const auto& [text, of] : code.lines) {
      if (IsCheckLine(text)) sum += of;
    }
    return sum;
  };
  const bool is_proved = evidence.ShareOf(seconds(now) - seconds(was)) >= kProvedShare;
  ChangeCause cause = CauseOf(function, ChangeCauseKind::kAssertion,
                              is_proved ? CauseGrade::kProved : CauseGrade::kLikely, share);
  cause.fact = "checks what {A} does not (calls " + ShortenFunction(check, 50) + "); " +
               std::to_string(was.instructions) + " instructions in {A}, " +
               std::to_string(now.instructions) + " in {B}";
  Add(std::move(cause), causes);
}

/// What is left: the same code, or another one without a known cause.
void AddRest(const ChangeEvidence& evidence, const Function& function, double share,
             Causes& causes) {
  if (share < 0.5) return;
  const CodeFacts& was = *function.was_code;
  const CodeFacts& now = *function.now_code;
  const double memory = evidence.ShareOf(now.SecondsOf(kOnMemory) - was.SecondsOf(kOnMemory));
  const double floating = evidence.ShareOf(now.SecondsOf(kFloat) - was.SecondsOf(kFloat));
  if (evidence.IsSameCode(function)) {
    if (floating >= 0.5 && now.SecondsOf(kFloat) > 0.5 * now.seconds) {
      ChangeCause cause =
          CauseOf(function, ChangeCauseKind::kDenormal, CauseGrade::kLikely, floating);
      cause.fact =
          "has the same code, and the added time is on floating-point arithmetic: slow operands "
          "(denormal numbers), or more work";
      cause.next = "count its calls, or set the processor to flush denormal numbers to zero";
      Add(std::move(cause), causes);
    } else if (memory >= 0.5) {
      ChangeCause cause = CauseOf(function, ChangeCauseKind::kMemory, CauseGrade::kLikely, memory);
      cause.fact =
          "has the same code, and the added time is on loads and stores: cache misses, or more "
          "work";
      Add(std::move(cause), causes);
    } else {
      ChangeCause cause = CauseOf(function, ChangeCauseKind::kMoreWork, CauseGrade::kLikely, share);
      cause.fact =
          "has the same code and takes longer: more calls, or longer loops; samples cannot tell "
          "which";
      Add(std::move(cause), causes);
    }
    return;
  }
  if (memory >= 0.5 &&
      static_cast<double>(now.instructions) < 1.6 * static_cast<double>(was.instructions)) {
    ChangeCause cause = CauseOf(function, ChangeCauseKind::kMemory, CauseGrade::kLikely, memory);
    cause.fact = "the added time is on loads and stores, its code is of like size (" +
                 std::to_string(was.instructions) + " instructions in {A}, " +
                 std::to_string(now.instructions) +
                 " in {B}): access pattern, or layout of the data";
    Add(std::move(cause), causes);
  }
  ChangeCause cause = CauseOf(function, ChangeCauseKind::kCode, CauseGrade::kSeen, share);
  cause.fact = "its code changed (" + std::to_string(was.instructions) + " instructions in {A}, " +
               std::to_string(now.instructions) + " in {B})";
  Add(std::move(cause), causes);
}

/// Containers of the standard library that a signature names.
std::set<std::string> TypesIn(const std::string& name) {
  std::set<std::string> types;
  for (const char* type : {"vector", "list", "map", "unordered_map", "set", "unordered_set",
                           "deque", "multimap", "shared_ptr", "function", "forward_list"}) {
    for (const char* scope : {"std::", "std::__cxx11::"}) {
      if (name.find(std::string(scope) + type + "<") != std::string::npos) types.insert(type);
    }
  }
  return types;
}

std::string Listed(const std::set<std::string>& types, const std::set<std::string>& without) {
  std::string text;
  for (const std::string& type : types) {
    if (!without.contains(type)) text += (text.empty() ? "std::" : ", std::") + type;
  }
  return text.empty() ? "none" : text;
}

void AddSignature(const Function& function, double share, Causes& causes) {
  if (!function.is_renamed || share < 0.5) return;
  const std::set<std::string> was = TypesIn(function.was_name);
  const std::set<std::string> now = TypesIn(function.name);
  if (std::includes(was.begin(), was.end(), now.begin(), now.end())) return;
  ChangeCause cause =
      CauseOf(function, ChangeCauseKind::kContainerType, CauseGrade::kLikely, share);
  cause.fact =
      "names " + Listed(was, now) + " in {A}, " + Listed(now, was) + " in {B} among its parameters";
  Add(std::move(cause), causes);
}

/// Seconds of a run in inlined copies of functions of this plain name.
double InlinedSeconds(const std::vector<Baseline>& runs, const std::string& plain) {
  double seconds = 0;
  for (const Baseline& run : runs) {
    const double weight = run.events.empty() ? 0 : run.events[0].weight / 1e9;
    for (const RunDetails::Source& source : run.details.sources) {
      if (source.inlined > 0 && PlainName(source.function) == plain) {
        seconds += source.inlined * weight;
      }
    }
  }
  return runs.empty() ? 0 : seconds / static_cast<double>(runs.size());
}

/// A function without samples in A: it was inlined there, or it is called indirectly now.
void AddNewFunction(const ChangeEvidence& evidence, const Function& function, double share,
                    Causes& causes) {
  const CodeSide& side = *evidence.sides().now_code;
  const std::string plain = PlainName(function.name);
  // Functions of B that call it directly, or by samples.
  const auto called = side.callers.find({function.name, function.module});
  double with_callers = share;
  double lost_by_caller = 0;
  double with_indirect = share;
  std::string caller;
  std::string indirect_caller;
  bool any_direct = false;
  bool indirect_is_new = false;
  constexpr double kLeastInlined = 0.005;  // Seconds of a run
  bool was_inlined = InlinedSeconds(evidence.sides().then, plain) > kLeastInlined;
  for (const Function& other : evidence.functions()) {
    if (other.now_code == nullptr || other.key == function.key || other.module != function.module) {
      continue;
    }
    const double added = evidence.ShareOf(other.seconds.Added());
    const auto& targets = other.now_code->targets;
    const bool calls = std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
      return PlainName(target) == plain;
    });
    if (calls) {
      any_direct = true;
      if (caller.empty() || other.seconds.was_mean > 0) caller = other.name;
      if (other.was_code != nullptr && other.was_code->inlined.contains(plain)) was_inlined = true;
      with_callers += added;
      lost_by_caller = std::min(lost_by_caller, added);
      continue;
    }
    const bool by_samples = called != side.callers.end() && called->second.contains(other.name);
    if (by_samples && other.now_code->CountOf(kIndirect) != 0) {
      indirect_caller = other.name;
      // Of a caller that called indirectly before, too, only the called function is another one.
      indirect_is_new = other.was_code != nullptr &&
                        other.was_code->CountOf(kIndirect) < other.now_code->CountOf(kIndirect);
      with_indirect += std::max(0.0, added);
    }
  }
  if (any_direct && with_callers >= kLikelyShare) {
    // Without inlined copies only the time that its caller lost says where it was.
    const bool caller_lost = -lost_by_caller >= 0.5 * share;
    ChangeCause cause =
        CauseOf(function, ChangeCauseKind::kNotInlined,
                was_inlined || caller_lost ? GradeOf(with_callers, was_inlined) : CauseGrade::kSeen,
                with_callers);
    cause.fact = "is called by " + ShortenFunction(caller, 60) + " in {B}, and " +
                 (was_inlined ? "was inlined there in {A}" : "has no samples of its own in {A}");
    Add(std::move(cause), causes);
  } else if (!any_direct && !indirect_caller.empty() && with_indirect >= kLikelyShare) {
    ChangeCause cause = CauseOf(function, ChangeCauseKind::kIndirect,
                                GradeOf(with_indirect, indirect_is_new), with_indirect);
    cause.fact = "is called indirectly (virtual, or by a pointer) by " +
                 ShortenFunction(indirect_caller, 60) +
                 " in {B}, and has no samples of its own in {A}";
    Add(std::move(cause), causes);
  }
}

}  // namespace

void AddCode(const ChangeEvidence& evidence, Causes& causes) {
  if (!evidence.is_slower() || evidence.sides().now_code == nullptr ||
      evidence.sides().then_code == nullptr) {
    return;
  }
  std::set<std::string> plain_names;
  std::set<std::string> named;  // Modules of which A has names: elsewhere every function is new
  for (const Function& function : evidence.functions()) {
    if (function.was_name.empty()) continue;
    plain_names.insert(PlainName(function.was_name));
    if (!function.was_name.starts_with("[")) named.insert(function.key.second);
  }
  for (const Function* function : evidence.Grown()) {
    const double share = evidence.ShareOf(function->seconds.Added());
    AddSignature(*function, share, causes);
    if (function->now_code == nullptr) continue;
    const bool is_program = evidence.IsProgram(function->module, DiffSide::kNow);
    if (function->was_code == nullptr) {
      const bool is_new = function->was_name.empty() && named.contains(function->key.second) &&
                          !plain_names.contains(PlainName(function->name));
      // What a library is for is said by its class.
      const bool is_library =
          LibraryClassOf(function->name, function->module) != LibraryClass::kNone;
      if (is_program && is_new && !is_library) AddNewFunction(evidence, *function, share, causes);
      continue;
    }
    // A library that is the same does what the program asks of it.
    if (!is_program && evidence.IsSameBuild(function->was_module, function->module)) continue;
    AddVector(*function, share, causes);
    AddSlowInstructions(evidence, *function, causes);
    AddChecks(evidence, *function, share, causes);
    AddRest(evidence, *function, share, causes);
  }
}

}  // namespace csink::report

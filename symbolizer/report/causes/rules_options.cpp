#include <algorithm>
#include <map>
#include <sstream>

#include "symbolizer/report/causes/rules.h"
#include "symbolizer/report/wording/shorten.h"

/// File: the compiler's options, of the source files whose functions grew. They are no proof: a
/// program that was also compiled in another way is slower for another reason in most cases.

namespace csink::report {
namespace {

using Function = ChangeEvidence::Function;

/// Options that change no code.
bool IsWithoutEffect(const std::string& option) {
  for (const char* begin : {"-fasync", "-mtune", "-g", "-fdebug", "-ffile", "-fmacro", "-fltrans",
                            "-dumpbase", "-std=", "-W"}) {
    if (option.starts_with(begin)) return true;
  }
  return false;
}

std::vector<std::string> OptionsIn(const std::string& producer) {
  std::vector<std::string> options;
  std::istringstream words(producer);
  for (std::string word; words >> word;) {
    if (word.starts_with('-') && !IsWithoutEffect(word)) options.push_back(word);
  }
  return options;
}

/// The last one counts.
std::string LevelOf(const std::vector<std::string>& options) {
  std::string level = "-O0";
  for (const std::string& option : options) {
    if (option.starts_with("-O")) level = option;
  }
  return level;
}

double RankOf(const std::string& level) {
  const std::map<std::string, double> kRanks = {{"-O0", 0}, {"-Og", 0.5}, {"-O", 1},
                                                {"-O1", 1}, {"-Os", 1.2}, {"-Oz", 1.2},
                                                {"-O2", 2}, {"-O3", 3},   {"-Ofast", 4}};
  const auto rank = kRanks.find(level);
  return rank == kRanks.end() ? 2 : rank->second;
}

std::string Listed(const std::vector<std::string>& options,
                   const std::vector<std::string>& without) {
  std::string text;
  for (const std::string& option : options) {
    if (std::find(without.begin(), without.end(), option) == without.end()) {
      text += (text.empty() ? "" : " ") + option;
    }
  }
  return text.empty() ? "nothing" : text;
}

/// The functions of one source file.
struct Unit {
  std::string was_module, module;
  std::vector<const Function*> functions;
  double added = 0;
};

/// Whether the code is longer where it is sampled, works more on the stack, or lost what
/// optimisation makes.
bool ShowsIt(const ChangeEvidence& evidence, const Unit& unit, const Causes& found) {
  constexpr double kLeastSeconds = 0.01;
  double was = 0;
  double now = 0;
  double stack = 0;
  for (const Function* function : unit.functions) {
    for (const ChangeCause& cause : found) {
      const bool lost =
          cause.kind == ChangeCauseKind::kVector || cause.kind == ChangeCauseKind::kNotInlined;
      if (lost && cause.grade != CauseGrade::kSeen && cause.function == function->name) return true;
    }
    if (const CodeFacts* code = function->was_code; code != nullptr) {
      if (code->seconds > kLeastSeconds) was += static_cast<double>(code->sampled_instructions);
      stack -= code->SecondsOf(kOnStack);
    }
    if (const CodeFacts* code = function->now_code; code != nullptr) {
      if (code->seconds > kLeastSeconds) now += static_cast<double>(code->sampled_instructions);
      stack += code->SecondsOf(kOnStack);
    }
  }
  return now >= 1.3 * was || evidence.ShareOf(stack) >= kLikelyShare;
}

void AddUnit(const ChangeEvidence& evidence, const std::string& source, const Unit& unit,
             Causes& causes) {
  const auto producer = [&](const CodeSide& side, const std::string& module) {
    const auto at = side.producers.find({module, source});
    return at == side.producers.end() ? std::string() : at->second;
  };
  const std::string was_text = producer(*evidence.sides().then_code, unit.was_module);
  const std::string now_text = producer(*evidence.sides().now_code, unit.module);
  if (was_text.empty() || now_text.empty() || was_text == now_text) return;
  const bool all_same =
      std::all_of(unit.functions.begin(), unit.functions.end(),
                  [&](const Function* function) { return evidence.IsSameCode(*function); });
  if (all_same) return;
  const std::vector<std::string> was = OptionsIn(was_text);
  const std::vector<std::string> now = OptionsIn(now_text);
  const std::string was_level = LevelOf(was);
  const std::string level = LevelOf(now);
  const double share = evidence.ShareOf(unit.added);
  ChangeCause cause;
  cause.module = unit.module;
  if (evidence.is_slower()) cause.share = share;
  if (was_level != level) {
    const bool is_less = RankOf(level) < RankOf(was_level);
    cause.kind = level == "-O0" ? ChangeCauseKind::kNotOptimised : ChangeCauseKind::kOptimisation;
    cause.grade = share >= 0.5 && is_less && ShowsIt(evidence, unit, causes) ? CauseGrade::kLikely
                                                                             : CauseGrade::kSeen;
    cause.fact = source + ": " + was_level + " in {A}, " + level + " in {B}";
  } else {
    const auto as_set = [](std::vector<std::string> options) {
      std::sort(options.begin(), options.end());
      return options;
    };
    if (as_set(was) == as_set(now)) return;
    cause.kind = ChangeCauseKind::kFlags;
    cause.grade = share >= kLikelyShare ? CauseGrade::kLikely : CauseGrade::kSeen;
    cause.fact = source + ": options " + Listed(was, now) + " in {A} alone, " + Listed(now, was) +
                 " in {B} alone";
  }
  // Units differ under -flto: a sum above the whole maps functions to the wrong files.
  constexpr double kMostShare = 1.6;
  if (share > kMostShare) {
    cause.grade = CauseGrade::kSeen;
    cause.share.reset();
  }
  cause.next = "build {B} with the options of {A}, and compare the three (csink bench)";
  Add(std::move(cause), causes);
}

}  // namespace

void AddOptions(const ChangeEvidence& evidence, Causes& causes) {
  const ComparedSides& sides = evidence.sides();
  if (sides.now_code == nullptr || sides.then_code == nullptr) return;
  std::map<std::string, Unit> units;
  for (const Function& function : evidence.functions()) {
    const CodeFacts* code = function.now_code != nullptr ? function.now_code : function.was_code;
    if (code == nullptr || code->source.empty()) continue;
    if (!evidence.IsProgram(function.module, DiffSide::kNow)) continue;
    Unit& unit = units[BaseName(code->source)];
    unit.functions.push_back(&function);
    unit.added += function.seconds.Added();
    if (!function.module.empty()) unit.module = function.module;
    if (!function.was_module.empty()) unit.was_module = function.was_module;
  }
  for (const auto& [source, unit] : units) {
    if (!unit.module.empty() && !unit.was_module.empty()) AddUnit(evidence, source, unit, causes);
  }
}

}  // namespace csink::report

#include "symbolizer/report/text/causes_text.h"

#include <algorithm>
#include <map>

#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

constexpr std::size_t kMostFunctions = 8;

std::string ShareWords(double share) {
  // Other parts became faster meanwhile.
  if (share > 1.05) return "more than the added time";
  return FixedText(share * 100, 0) + " % of the added time";
}

}  // namespace

std::string CauseSentence(const ChangeCause& cause) {
  std::string text;
  if (!cause.function.empty()) text = ShortenFunction(Printable(cause.function), 70) + ": ";
  text += Printable(cause.fact);
  if (cause.share && *cause.share > 0.005) text += "; " + ShareWords(*cause.share);
  if (!cause.next.empty() && cause.grade != CauseGrade::kProved) {
    text += ". To be sure: " + Printable(cause.next);
  }
  return text;
}

std::vector<const ChangeCause*> ShownCauses(const ChangeCauses& causes) {
  std::vector<const ChangeCause*> shown;
  std::map<std::string, std::size_t> of_function;
  for (const ChangeCause& cause : causes.causes) {
    if (shown.size() < kMostCauses) {
      shown.push_back(&cause);
      ++of_function[cause.function];
      continue;
    }
    if (cause.function.empty() || cause.grade == CauseGrade::kSeen) continue;
    if (!of_function.contains(cause.function) && of_function.size() >= kMostFunctions) continue;
    if (++of_function[cause.function] <= kMostCauses) shown.push_back(&cause);
  }
  return shown;
}

std::string CausesHead(const ChangeCauses& causes) {
  if (!causes.refusal.empty()) return "not searched: " + causes.refusal;
  if (!causes.is_slower) {
    return std::string("no part of the time grew beyond the error") +
           (causes.causes.empty() ? "" : "; what differs between the sides:");
  }
  std::string parts;
  for (const TimePart& part : causes.parts) {
    if (!part.has_changed) continue;
    parts += (parts.empty() ? "" : ", ") + part.name + " " + Duration(part.was) + " -> " +
             Duration(part.now);
  }
  return Duration(causes.added_seconds) + " were added to a run (" + parts + ")";
}

std::string NoCauseWords(const ChangeCauses& causes) {
  const bool found =
      std::any_of(causes.causes.begin(), causes.causes.end(),
                  [](const ChangeCause& cause) { return cause.grade != CauseGrade::kSeen; });
  if (!causes.refusal.empty() || !causes.is_slower || found) return "";
  std::string text = "no cause found";
  if (!causes.causes.empty()) text += "; what differs is above";
  for (std::size_t i = 0; i < causes.missing.size(); ++i) {
    text += (i == 0 ? ". Not known: " : "; ") + Printable(causes.missing[i]);
  }
  return text;
}

std::vector<CauseLine> CauseLines(const ChangeCauses& causes) {
  // The lines above say that too few runs were given, or that the events differ.
  if (!causes.refusal.empty() || (!causes.is_slower && causes.causes.empty())) return {};
  std::vector<CauseLine> lines = {{"why", CausesHead(causes)}};
  for (const ChangeCause* cause : ShownCauses(causes)) {
    lines.push_back({WordFor(cause->grade), CauseSentence(*cause)});
  }
  if (std::string none = NoCauseWords(causes); !none.empty()) {
    lines.push_back({"none", std::move(none)});
  }
  return lines;
}

std::string CausesText(const ChangeCauses& causes, const TextStyle& style) {
  std::string text;
  for (const CauseLine& line : CauseLines(causes)) {
    std::string label = line.label;
    label.resize(8, ' ');
    text += Wrapped(style, label, line.text);
  }
  return text;
}

}  // namespace csink::report

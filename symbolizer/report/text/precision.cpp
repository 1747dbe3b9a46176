#include "symbolizer/report/text/precision.h"

#include <cstring>
#include <utility>
#include <vector>

#include "symbolizer/report/wording/shorten.h"

/// File: puts precision into words. spool::Skid is what the agent found out when it opened the
/// event: how far the kernel's samples may be from the cause. precise_ip is perf_event_attr's field
/// of this name.

namespace csink::report {
namespace {

using spool::Skid;

/// "PEBS, precise_ip 3"
std::string Obtained(const EventTotals& event) {
  const std::string number = "precise_ip " + std::to_string(event.precise_ip);
  const std::string by = WordFor(event.precise_by);
  return by.empty() ? number : by + ", " + number;
}

/// Why a higher precision was refused, with the kernel's error. "" if all that was asked for was
/// obtained.
std::string Refusal(const EventTotals& event) {
  if (event.precise_errno == 0 || event.precise_asked <= event.precise_ip) return "";
  return "precise_ip " + std::to_string(event.precise_ip + 1) +
         // The number is from a file, and errors of the kernel are below 4096.
         " was refused: " + std::strerror(static_cast<int>(event.precise_errno & 0xfff));
}

/// " (text; more)" with those that are not empty; "" if both are.
std::string InBrackets(const std::string& text, const std::string& more) {
  if (text.empty() && more.empty()) return "";
  return " (" + text + (text.empty() || more.empty() ? "" : "; ") + more + ")";
}

}  // namespace

// These are the names in the manuals of Intel (PEBS), AMD (IBS) and Arm (SPE).
const char* WordFor(spool::PreciseBy by) {
  switch (by) {
    case spool::PreciseBy::kPebs:
      return "PEBS";
    case spool::PreciseBy::kIbs:
      return "IBS";
    case spool::PreciseBy::kSpe:
      return "SPE";
    case spool::PreciseBy::kNothing:
      break;
  }
  return "";
}

std::string PrecisionNote(const EventTotals& event, bool said) {
  // The part in parentheses is cut off again, so that both texts agree.
  if (said) {
    const std::string note = PrecisionNote(event);
    return note.substr(0, note.find(" ("));
  }
  switch (event.skid) {
    case Skid::kExact:
      return ", exact" + InBrackets(event.precise_ip != 0 ? Obtained(event) : "", "");
    case Skid::kNextInstruction:
      return ", at the next instruction" + InBrackets(Obtained(event), Refusal(event));
    case Skid::kInterrupt:
      return ", with skid" + InBrackets("", Refusal(event));
    case Skid::kTick:
      return ", at the kernel's ticks";
    case Skid::kTimer:
    case Skid::kUnknown:
      break;
  }
  return "";
}

// Whole sentences for people; the words for programs are in words.cpp (WordFor).
std::string PrecisionText(const EventTotals& event) {
  switch (event.skid) {
    case Skid::kExact:
      return "exact" + InBrackets(event.precise_ip != 0 ? Obtained(event) : "", "") +
             ": the instruction itself";
    case Skid::kNextInstruction:
      return "near" + InBrackets(Obtained(event), Refusal(event)) +
             ": the instruction itself or the next one";
    case Skid::kInterrupt:
      return "skid" + InBrackets("", Refusal(event)) +
             ": up to tens of instructions after the cause; the function is reliable, the line is "
             "not";
    case Skid::kTimer:
      return "clock: usually the instruction after the one that took the time";
    case Skid::kTick:
      return "tick: the instruction at the kernel's timer tick; code that runs synchronously with "
             "the ticks is counted too often or not at all";
    case Skid::kUnknown:
      break;
  }
  return "not known";
}

std::string WritePrecision(const Profile& profile, const TextStyle& style, const char* label) {
  // With several events most have the same precision, which one sentence says for all.
  std::vector<std::pair<std::string, std::string>> groups;  // Sentence, events
  for (const EventTotals& event : profile.events) {
    if (event.skid == Skid::kUnknown) continue;
    const std::string sentence = PrecisionText(event);
    const std::string name = Printable(event.name);
    bool is_known = false;
    // Few events, so a search through the list is enough.
    for (auto& [known, names] : groups) {
      if (known != sentence) continue;
      names += ", " + name;
      is_known = true;
    }
    if (!is_known) groups.emplace_back(sentence, name);
  }
  std::string text;
  for (const auto& [sentence, names] : groups) {
    text += Wrapped(style, text.empty() ? label : std::string(std::strlen(label), ' '),
                    names + " " + sentence);
  }
  return text;
}

std::string SkidNote(const Profile& profile) {
  bool has_skid = false;
  bool has_clock = false;
  for (const EventTotals& event : profile.events) {
    has_skid = has_skid || event.skid == Skid::kInterrupt || event.skid == Skid::kNextInstruction;
    has_clock = has_clock || event.skid == Skid::kTimer || event.skid == Skid::kTick;
  }
  if (!has_skid && !has_clock) return "";
  return std::string("samples are on the instruction after the one that took the time") +
         (has_skid ? ", or later" : "") + ": the cause is usually the row above a hot row";
}

}  // namespace csink::report

#include "core/counting/presets/preset_statement.h"

#include "core/counting/presets/complaint_list.h"

// File: what can be said of one definition without any other: names, lengths, the formula. The
// first fault ends the check, with the text at fault.

namespace csink {
namespace {

// The limits are the sizes of the arrays in PAPI_event_info_t: a longer text could be defined, but
// never be shown whole.
constexpr Error kBadName{Errc::kInvalid, 0, "bad name"};
constexpr Error kTooLong{Errc::kLimit, 0, "text is too long"};

// Commas and quotes would separate values in an event file, so such a name could never be written
// there. Bytes from 0x80 on are accepted.
bool HasNoBlanks(std::string_view name) noexcept {
  for (char c : name) {
    // As unsigned: where char is signed, bytes of UTF-8 are negative and would count as blanks.
    if (static_cast<unsigned char>(c) <= ' ') return false;
    if (c == ',' || c == '"' || c == '\'') return false;
  }
  return true;
}

/// Checks a length. The parts of the sentence are joined only on failure: most texts fit, and all
/// built-in definitions of this machine are checked at the first look-up.
Result<void> CheckLength(const char* what, std::string_view whose, std::string_view text,
                         std::size_t limit, std::string& sentence) {
  if (text.size() <= limit) return {};
  sentence = std::string(what) + ' ' + Quoted(whose) + " has " + std::to_string(text.size()) +
             " bytes, more than " + std::to_string(limit);
  return kTooLong;
}

Result<void> CheckName(const char* what, std::string_view name, std::size_t limit,
                       std::string& sentence) {
  if (name.empty()) {
    sentence = std::string("the name of ") + what + " is empty";
    return kBadName;
  }
  if (!HasNoBlanks(name)) {
    sentence = std::string(what) + ' ' + Quoted(name) + " must not contain a blank, comma or quote";
    return kBadName;
  }
  return CheckLength("the name", name, name, limit, sentence);
}

// `culprit` is set before each check, so that it names the text that failed.
Result<void> CheckNames(const PresetStatement& event, std::string& sentence,
                        std::string_view& culprit) {
  culprit = event.name;
  if (Result<void> ok = CheckName("the event", event.name, kMaxEventNameBytes, sentence); !ok) {
    return ok;
  }
  // Base events may be native events, presets or user events. Which they are is decided later
  // (DefinitionBuilder); the longest limit, that of native events, applies.
  for (std::string_view base : event.bases) {
    culprit = base;
    if (Result<void> ok = CheckName("a base event", base, kMaxNativeNameBytes, sentence); !ok) {
      return ok;
    }
  }
  return {};
}

Result<void> CheckTexts(const PresetStatement& event, std::string& sentence,
                        std::string_view& culprit) {
  culprit = event.short_description;
  Result<void> fits = CheckLength("the short description of", event.name, event.short_description,
                                  kMaxShortDescriptionBytes, sentence);
  if (fits) {
    culprit = event.long_description;
    fits = CheckLength("the long description of", event.name, event.long_description,
                       kMaxLongDescriptionBytes, sentence);
  }
  if (fits) {
    culprit = event.note;
    fits = CheckLength("the note of", event.name, event.note, kMaxNoteBytes, sentence);
  }
  return fits;
}

/// The part of a statement to blame for a bad formula: its text, or for other derivations, which
/// fail by the number of events, the last event.
std::string_view FormulaOf(const PresetStatement& event) noexcept {
  const bool written =
      event.derivation == Derivation::kPostfix || event.derivation == Derivation::kInfix;
  if (written && !event.formula_text.empty()) return event.formula_text;
  return event.bases.size() > 1 ? event.bases.back() : event.name;
}

}  // namespace

Result<void> CheckStatement(PresetStatement& statement, std::string& sentence,
                            std::string_view* culprit) {
  // A place for the culprit where the caller does not want it.
  std::string_view unused;
  std::string_view& wrong = culprit ? *culprit : unused;
  // Names first: the sentences about texts and formulas begin with the name.
  if (Result<void> ok = CheckNames(statement, sentence, wrong); !ok) return ok;
  if (Result<void> ok = CheckTexts(statement, sentence, wrong); !ok) return ok;
  FormulaComplaint complaint;
  Result<Formula> formula = Formula::Parse(statement.derivation, statement.formula_text,
                                           statement.bases.size(), complaint);
  if (!formula) {
    sentence = std::string(statement.name) + ": " + complaint.c_str();
    wrong = FormulaOf(statement);
    return formula.error();
  }
  statement.formula = std::move(*formula);
  return {};
}

PresetStatement StatementOf(const PresetRequest& request) {
  PresetStatement statement;
  statement.name = request.name;
  statement.derivation = request.derivation;
  statement.formula_text = request.formula;
  statement.bases.assign(request.bases.begin(), request.bases.end());
  statement.short_description = request.short_description;
  statement.long_description = request.long_description;
  statement.note = request.note;
  return statement;
}

}  // namespace csink

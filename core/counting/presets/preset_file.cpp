#include "core/counting/presets/preset_file.h"

#include <algorithm>
#include <utility>

#include "core/counting/presets/name_hash.h"
#include "core/util/nearest.h"

// File: lines are read in turn. CPU lines collect the section's PMUs among those present; at the
// section's first definition the list is reduced to the PMUs that count (SectionIsOurs).
// Definitions of other sections are skipped without being split, which is most of a file for all
// processors.

namespace csink {
namespace {

constexpr std::string_view kCommands[] = {"CPU", "PRESET", "EVENT"};
constexpr std::string_view kKeywords[] = {"LDESC", "SDESC", "NOTE"};

// A quoted word is a text, so an event may be described by the word "NOTE".
bool IsKeyword(const CsvField& field) noexcept {
  return !field.quoted && std::any_of(std::begin(kKeywords), std::end(kKeywords),
                                      [&](std::string_view k) { return SameName(field.text, k); });
}

// Only these have a formula between the derivation and the first event.
bool TakesFormula(Derivation derivation) noexcept {
  return derivation == Derivation::kPostfix || derivation == Derivation::kInfix;
}

}  // namespace

PresetFileReader::PresetFileReader(std::string_view file_name, std::string_view text,
                                   std::span<const PresentPmu> present, ComplaintList& complaints)
    : file_name_(file_name), lines_(text), present_(present), complaints_(complaints) {
  // More values than most lines have; the vector is reused.
  fields_.reserve(16);
}

// `at`: the place in the line; null: the line as a whole.
bool PresetFileReader::Complain(std::string_view sentence, const char* at) {
  return Complain(sentence, at ? static_cast<int>(at - line_) + 1 : 0);
}

bool PresetFileReader::Complain(std::string_view sentence, int column) {
  complaints_.Add(file_name_, lines_.number(), column, sentence);
  ++malformed_;
  return false;
}

int PresetFileReader::ColumnOf(std::string_view text) const noexcept {
  for (const CsvField& field : fields_) {
    // By address, because the same text may stand in a line twice.
    if (field.text.data() == text.data()) return static_cast<int>(field.at - line_) + 1;
  }
  return 0;
}

bool PresetFileReader::Next(PresetStatement& statement) {
  std::string_view line;
  while (lines_.Next(line)) {
    line_ = line.data();
    int column = 0;
    if (const std::string_view problem = LineProblem(line, &column); !problem.empty()) {
      Complain(problem, column);
      continue;
    }
    line = TrimBlanks(line);
    // Behind the check of the line's bytes, which covers comments as well.
    if (line.empty() || line.front() == '#') continue;
    const Command command = CommandOf(line);
    if (command == Command::kNone) continue;
    if (command == Command::kCpu) {
      ReadCpu(line);
      continue;
    }
    // Ends a list of CPU lines: the next CPU line begins a section.
    list_is_open_ = false;
    if (!SectionIsOurs()) continue;
    if (ReadDefinition(line, statement)) return true;
  }
  return false;
}

PresetFileReader::Command PresetFileReader::CommandOf(std::string_view line) {
  // The comma behind the command, or a blank, ends the word.
  const std::string_view word = line.substr(0, line.find_first_of(", \t"));
  if (SameName(word, kCommands[0])) return Command::kCpu;
  if (SameName(word, kCommands[1]) || SameName(word, kCommands[2])) return Command::kDefinition;
  Complain(Quoted(word) + " is not a command; commands are CPU, PRESET and EVENT" +
               NearestHint(NearestName(word, kCommands, std::size(kCommands))),
           word.data());
  return Command::kNone;
}

void PresetFileReader::ReadCpu(std::string_view line) {
  // The first CPU line of a list.
  if (!list_is_open_) {
    pmus_.clear();
    for_any_ = false;
    resolved_ = false;
  }
  list_is_open_ = true;
  std::string sentence;
  line = TrimBlanks(line.substr(kCommands[0].size()));
  // "CPU pmu" is accepted like "CPU,pmu".
  if (!line.empty() && line.front() == ',') line.remove_prefix(1);
  const char* wrong = nullptr;
  if (!SplitCsvLine(line, fields_, unescaped_, sentence, &wrong)) {
    Complain(sentence, wrong);
    return;
  }
  bool has_name = false;
  for (const CsvField& field : fields_) {
    if (field.text.empty()) continue;
    has_name = true;
    AddPmu(field.text);
  }
  if (!has_name) Complain("the PMU's name after CPU is missing", line.data());
}

void PresetFileReader::AddPmu(std::string_view name) {
  if (name == "*") {
    for_any_ = true;
    return;
  }
  // A PMU that this machine does not have is not an error. One that is named twice is kept once.
  for (std::size_t i = 0; i < present_.size(); ++i) {
    if (SameName(present_[i].name, name) &&
        std::find(pmus_.begin(), pmus_.end(), i) == pmus_.end()) {
      pmus_.push_back(i);
    }
  }
}

// Whether the section applies to this machine. Decided at its first definition, when its list of
// CPU lines is complete. A section with core PMUs and others ("skx" and "perf") applies to the core
// PMUs alone: the others would count the same again.
bool PresetFileReader::SectionIsOurs() noexcept {
  if (!resolved_) {
    resolved_ = true;
    const auto is_core = [this](std::size_t i) { return present_[i].is_core; };
    if (for_any_) {
      for (std::size_t i = 0; i < present_.size(); ++i) {
        if (is_core(i) && std::find(pmus_.begin(), pmus_.end(), i) == pmus_.end()) {
          pmus_.push_back(i);
        }
      }
    }
    if (std::any_of(pmus_.begin(), pmus_.end(), is_core)) {
      std::erase_if(pmus_, [&](std::size_t i) { return !is_core(i); });
    }
    // The order of `present` decides about sums and notes, not the order of the file.
    std::sort(pmus_.begin(), pmus_.end());
  }
  return for_any_ || !pmus_.empty();
}

bool PresetFileReader::ReadDefinition(std::string_view line, PresetStatement& statement) {
  std::string sentence;
  const char* wrong = nullptr;
  if (!SplitCsvLine(line, fields_, unescaped_, sentence, &wrong)) return Complain(sentence, wrong);
  // An empty value after the last comma means nothing.
  while (fields_.back().text.empty() && !fields_.back().quoted) fields_.pop_back();
  if (fields_.size() < 3) {
    return Complain(std::string(fields_[0].text) + " needs a name, a derivation and an event",
                    fields_[0].at);
  }
  // Only the memory of the vector is kept from the last statement.
  std::vector<std::string_view> bases = std::move(statement.bases);  // reuses its memory
  bases.clear();
  statement = PresetStatement();
  statement.bases = std::move(bases);
  statement.line = lines_.number();
  statement.name = fields_[1].text;
  if (!DerivationFromName(fields_[2].text, statement.derivation)) {
    return Complain(Quoted(fields_[2].text) +
                        " is not a derivation; derivations are NOT_DERIVED, DERIVED_ADD, _SUB, "
                        "_PS, _ADD_PS, _CMPD, _POSTFIX and _INFIX" +
                        NearestHint(NearestDerivationName(fields_[2].text)),
                    fields_[2].at);
  }
  // For other derivations the first event stands here.
  std::size_t at = 3;
  if (TakesFormula(statement.derivation) && at < fields_.size()) {
    statement.formula_text = fields_[at++].text;
  }
  for (; at < fields_.size() && !IsKeyword(fields_[at]); ++at) {
    statement.bases.push_back(fields_[at].text);
  }
  if (!ReadKeywords(at, statement)) return false;
  // Checks everything that does not depend on other events; the position of the text at fault is
  // found by its address.
  std::string_view culprit;
  if (!CheckStatement(statement, sentence, &culprit)) return Complain(sentence, ColumnOf(culprit));
  return true;
}

// Each keyword is followed by its text. A keyword that is there twice keeps the last text.
bool PresetFileReader::ReadKeywords(std::size_t at, PresetStatement& statement) {
  for (; at < fields_.size(); at += 2) {
    const std::string_view word = fields_[at].text;
    if (!IsKeyword(fields_[at])) {
      return Complain(Quoted(word) +
                          " is not LDESC, SDESC or NOTE; a text that contains commas needs quotes" +
                          NearestHint(NearestName(word, kKeywords, std::size(kKeywords))),
                      fields_[at].at);
    }
    if (at + 1 == fields_.size()) {
      return Complain(Quoted(word) + " must be followed by a text", fields_[at].at);
    }
    const std::string_view text = fields_[at + 1].text;
    if (SameName(word, kKeywords[0])) {
      statement.long_description = text;
    } else if (SameName(word, kKeywords[1])) {
      statement.short_description = text;
    } else {
      statement.note = text;
    }
  }
  return true;
}

}  // namespace csink

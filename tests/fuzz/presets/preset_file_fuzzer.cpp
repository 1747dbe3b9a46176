#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/counting/presets/preset_columns.h"
#include "core/counting/presets/preset_file.h"
#include "core/counting/presets/preset_table.h"

namespace {

/// A hybrid machine, so that parts are added up; none has a built-in table.
const std::vector<csink::PresentPmu> kPmus = {{"big", true}, {"little", true}, {"perf", false}};

void CheckPrintable(std::string_view sentence) {
  for (char c : sentence) {
    if (c < ' ' || c > '~') std::abort();
  }
}

/// A definition that came out of any file is whole, and its formula can be computed.
void CheckDefinition(const csink::PresetDefinition& d) {
  if (d.natives.empty() || d.natives.size() > csink::kMaxFormulaNatives) std::abort();
  if (d.postfix.size() > csink::kMaxFormulaBytes || d.name.empty()) std::abort();
  if (d.name.size() > csink::kMaxEventNameBytes || d.note.size() > csink::kMaxNoteBytes)
    std::abort();
  const long long counts[csink::kMaxFormulaNatives] = {LLONG_MAX, 0, -1, LLONG_MIN, 7};
  const long long value = d.formula.Evaluate(counts, {3e9});
  csink::FormulaComplaint complaint;
  if (d.derivation != csink::Derivation::kPostfix) return;
  const auto again =
      csink::Formula::Parse(csink::Derivation::kPostfix, d.postfix, d.natives.size(), complaint);
  if (!again || again->Evaluate(counts, {3e9}) != value) std::abort();
}

}  // namespace

/// Any bytes are an event file: what is good in it is defined, what is bad is told.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  csink::ComplaintList complaints;
  csink::PresetFileReader reader("file", text, kPmus, complaints);
  csink::PresetStatement statement;
  csink::PresetOptions options;
  options.pmus.assign(kPmus.begin(), kPmus.begin() + 2);
  const auto table = csink::PresetTable::Load(options);
  while (reader.Next(statement)) {
    csink::PresetRequest request{std::string(statement.name),
                                 statement.derivation,
                                 std::string(statement.formula_text),
                                 {statement.bases.begin(), statement.bases.end()},
                                 std::string(statement.short_description),
                                 std::string(statement.long_description),
                                 std::string(statement.note)};
    std::string complaint;
    const auto code = table->Define(request, true, &complaint);
    CheckPrintable(complaint);
    if (code) CheckDefinition(*table->ByCode(*code));
    if (!code && complaint.empty()) std::abort();
  }
  csink::ReadPresetColumns("file", text, complaints);
  for (const std::string& sentence : complaints.Sentences()) CheckPrintable(sentence);
  return 0;
}

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/formula.h"
#include "core/presets/preset_request.h"

namespace csink {

/// One definition as it was written. It is checked in itself; what its bases are is not resolved
/// yet. All texts point into the file or the request.
struct PresetStatement {
  std::string_view name;
  Derivation derivation = Derivation::kNotDerived;
  std::string_view formula_text;  ///< For kPostfix and kInfix
  Formula formula;                ///< Over the bases; set by CheckStatement
  std::vector<std::string_view> bases;
  std::string_view short_description;
  std::string_view long_description;
  std::string_view note;
  int line = 0;
};

/// Checks names and limits, and compiles the formula. Errors: kInvalid, kLimit; with a sentence in
/// `sentence`, and the text at fault in `*culprit` (may be null).
Result<void> CheckStatement(PresetStatement& statement, std::string& sentence,
                            std::string_view* culprit = nullptr);

/// Converts a request into a statement that points into it. Not checked yet.
PresetStatement StatementOf(const PresetRequest& request);

}  // namespace csink

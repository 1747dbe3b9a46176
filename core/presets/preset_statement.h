#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/formula.h"
#include "core/presets/preset_request.h"

namespace csink {

/// One definition as it was written, checked in itself: what its bases are is not known yet.
/// Borrows all of its texts.
struct PresetStatement {
  std::string_view name;
  Derivation derivation = Derivation::kNotDerived;
  std::string_view formula_text;  ///< Of kPostfix and kInfix
  Formula formula;                ///< Over the bases
  std::vector<std::string_view> bases;
  std::string_view short_description;
  std::string_view long_description;
  std::string_view note;
  int line = 0;
};

/// Checks names and limits and compiles the formula. On failure `sentence` says what is wrong and
/// `culprit` (if given) is the one of the statement's texts that is.
/// Errors: kInvalid, kLimit.
Result<void> CheckStatement(PresetStatement& statement, std::string& sentence,
                            std::string_view* culprit = nullptr);

/// The same definition as a statement; `request` must outlive it. Not checked yet.
PresetStatement StatementOf(const PresetRequest& request);

}  // namespace csink

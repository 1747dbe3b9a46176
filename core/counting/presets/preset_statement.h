#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/presets/formula.h"
#include "core/counting/presets/preset_request.h"

/// File: a definition between reading and resolving. Requests of programs and lines of files become
/// statements, so both are checked by the same code.

namespace csink {

/// One definition as it was written. It is checked in itself; what its bases are is not resolved
/// yet. All texts point into the file or the request, which must outlive the statement.
struct PresetStatement {
  /// The event's name, as it was written.
  std::string_view name;
  Derivation derivation = Derivation::kNotDerived;
  std::string_view formula_text;  ///< For kPostfix and kInfix
  Formula formula;                ///< Over the bases; set by CheckStatement
  /// Native events, presets and user events, as they were written. The formula's N0, N1, ... are
  /// these, in this order.
  std::vector<std::string_view> bases;
  std::string_view short_description;
  std::string_view long_description;
  std::string_view note;
  /// Number of the line in the file, from 1; 0: from a request.
  int line = 0;
};

/// Checks names and limits, and compiles the formula into `statement.formula`. Names must not be
/// empty or contain blanks, control bytes, commas or quotes.
/// Errors: kInvalid (a name, a formula), kLimit (a text or formula is too long, too many natives);
/// with a sentence in `sentence`, and the text at fault in `*culprit` (may be null). The first
/// mistake is reported: names, then texts, then the formula. Threads: any. Signals: not safe
/// (heap).
Result<void> CheckStatement(PresetStatement& statement, std::string& sentence,
                            std::string_view* culprit = nullptr);

/// Converts a request into a statement that points into it. Not checked yet.
PresetStatement StatementOf(const PresetRequest& request);

}  // namespace csink

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/counting/presets/formula.h"

/// File: what a program or a file asks for when it defines an event.

namespace csink {

/// Limits of a definition in bytes: the fields of PAPI 7.0's PAPI_event_info_t without their NUL.
/// Longer texts are refused (CheckStatement), because those fields could not hold them. Names are
/// those of an event, and of a base with PMU, unit masks and modifiers.
inline constexpr std::size_t kMaxEventNameBytes = 127;
inline constexpr std::size_t kMaxNativeNameBytes = 255;
inline constexpr std::size_t kMaxShortDescriptionBytes = 63;
inline constexpr std::size_t kMaxLongDescriptionBytes = 1023;
inline constexpr std::size_t kMaxNoteBytes = 1023;

/// A definition as a caller or a file asks for it. Not checked yet: CheckStatement does that. Owns
/// its texts.
struct PresetRequest {
  /// A preset's name gives that preset another meaning; any other name makes a user event.
  std::string name;
  /// How the value follows from the bases; it decides how many there may be (formula.h).
  Derivation derivation = Derivation::kNotDerived;
  /// The formula's text, for kPostfix and kInfix; otherwise unused.
  std::string formula;
  /// Native events, presets or user events, in the order N0, N1, ... Empty: a preset that this
  /// machine does not count (DefinitionBatch).
  std::vector<std::string> bases;
  std::string short_description;  ///< "": that of the standard preset, if it is one
  std::string long_description;
  /// What a user should know of the definition; may be empty.
  std::string note;
};

}  // namespace csink

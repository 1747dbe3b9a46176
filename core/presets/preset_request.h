#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/presets/formula.h"

/// File: what a program or a file asks for when it defines an event.

namespace csink {

/// Limits of a definition in bytes: the fields of PAPI 7.0's PAPI_event_info_t without their NUL.
/// Longer texts are refused (CheckStatement), because those fields could not hold them.
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
  Derivation derivation = Derivation::kNotDerived;
  /// The formula's text, for kPostfix and kInfix; otherwise unused.
  std::string formula;
  std::vector<std::string> bases;  ///< Native events, presets or user events
  std::string short_description;   ///< "": that of the standard preset, if it is one
  std::string long_description;
  std::string note;
};

}  // namespace csink

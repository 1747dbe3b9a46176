#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/presets/formula.h"

namespace csink {

/// Limits of a definition in bytes: the fields of PAPI 7.0's PAPI_event_info_t without their NUL.
inline constexpr std::size_t kMaxEventNameBytes = 127;
inline constexpr std::size_t kMaxNativeNameBytes = 255;
inline constexpr std::size_t kMaxShortDescriptionBytes = 63;
inline constexpr std::size_t kMaxLongDescriptionBytes = 1023;
inline constexpr std::size_t kMaxNoteBytes = 1023;

/// A definition as a caller or a file asks for it. Not checked yet.
struct PresetRequest {
  std::string name;
  Derivation derivation = Derivation::kNotDerived;
  std::string formula;             ///< For kPostfix and kInfix
  std::vector<std::string> bases;  ///< Native events, presets or user events
  std::string short_description;   ///< "": that of the standard preset, if it is one
  std::string long_description;
  std::string note;
};

}  // namespace csink

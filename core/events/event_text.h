#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

namespace csink {

/// u, k and p as asked for, not yet turned into exclude bits.
struct EventModifiers {
  bool user = false;
  bool kernel = false;
  std::uint8_t precise = 0;

  /// Adds a token that consists of u, k and p only. False: it is something else,
  /// or asks for more than ppp.
  bool Take(std::string_view token) noexcept;

  /// Writes them into a spec, whose own settings stay where nothing was asked.
  void ApplyTo(EventSpec& spec) const noexcept;
};

/// One event of a list, cut into its parts. All of it points into the list.
struct EventText {
  std::string_view whole;  ///< Without rate and outer spaces
  std::string_view rate;   ///< Behind '@'
  bool has_rate = false;
  std::string_view pmu;         ///< Before "::", or empty
  std::string_view base;        ///< The event's name
  std::string_view attributes;  ///< Behind the base, without its ':' ("ANY_P:u")
  bool has_attributes = false;
};

EventText SplitEvent(std::string_view item) noexcept;

}  // namespace csink

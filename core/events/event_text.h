#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

namespace csink {

/// Iterates over the parts of a separated text, including empty parts: "a,,b" has three, "" has
/// one. `has_any` false: there are no parts at all. Signals: safe.
class Tokens {
 public:
  Tokens(std::string_view text, char separator, bool has_any = true) noexcept
      : rest_(text), separator_(separator), more_(has_any) {}

  /// Stores the next part; false: there are no more.
  bool Next(std::string_view& token) noexcept;

 private:
  std::string_view rest_;
  char separator_;
  bool more_;
};

/// The modifiers u, k and p of an event string, before they become exclude bits. Signals: safe.
struct EventModifiers {
  bool user = false;
  bool kernel = false;
  std::uint8_t precise = 0;

  /// Adds a token that consists of u, k and p only. False, and nothing is changed: the token is
  /// something else, or asks for more than ppp.
  bool Take(std::string_view token) noexcept;

  /// Applies the modifiers to a spec. What no modifier states stays as it is.
  void ApplyTo(EventSpec& spec) const noexcept;
};

/// One event of a list, divided into its parts. All parts point into the list's text.
struct EventText {
  std::string_view whole;  ///< Without rate and outer blanks
  std::string_view rate;   ///< After '@'
  bool has_rate = false;
  std::string_view pmu;         ///< Before "::"; may be empty
  std::string_view base;        ///< The event's name
  std::string_view attributes;  ///< After the name and its ':' ("ANY_P:u")
  bool has_attributes = false;
};

EventText SplitEvent(std::string_view item) noexcept;

/// The attributes of an event, one by one: "ANY_P:u" has two.
inline Tokens AttributesOf(const EventText& event) noexcept {
  return {event.attributes, ':', event.has_attributes};
}

/// Replaces the text of `complaint` by `event "NAME"`, for the caller to continue. Returns
/// `complaint`.
EventComplaint& ComplainOf(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink

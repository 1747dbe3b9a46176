#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

namespace csink {

/// Walks a list, empty tokens included: "a,,b" has three, "" has one.
class Tokens {
 public:
  Tokens(std::string_view text, char separator, bool has_any = true) noexcept
      : rest_(text), separator_(separator), more_(has_any) {}

  /// False behind the last one.
  bool Next(std::string_view& token) noexcept;

 private:
  std::string_view rest_;
  char separator_;
  bool more_;
};

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

/// Its attributes: "ANY_P:u" are two.
inline Tokens AttributesOf(const EventText& event) noexcept {
  return {event.attributes, ':', event.has_attributes};
}

/// Replaces what stood in `complaint` by `event "NAME"`, to be continued.
EventComplaint& ComplainOf(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

/// File: divides an event string into PMU, name, attributes and rate, and reads the modifiers that
/// all kinds of events have in common. Everything points into the caller's text, which must outlive
/// it.
/// Lean: no heap. Threads: any. Signals: safe.

namespace csink {

/// Iterates over the parts of a separated text, including empty parts: "a,,b" has three, "" has
/// one. `has_any` false: there are no parts at all, which distinguishes "cycles" from "cycles:".
/// Signals: safe.
///   Tokens parts("u:c=1", ':');
///   for (std::string_view part; parts.Next(part);) Take(part);
class Tokens {
 public:
  Tokens(std::string_view text, char separator, bool has_any = true) noexcept
      : rest_(text), separator_(separator), more_(has_any) {}

  /// Stores the next part. Returns false, with `token` unchanged, if there are no more.
  bool Next(std::string_view& token) noexcept;

 private:
  std::string_view rest_;
  char separator_;
  bool more_;
};

/// The modifiers u, k and p of an event string, before they become exclude bits. Collected over all
/// tokens, because "cycles:u:k" means the same as "cycles:uk". Signals: safe.
struct EventModifiers {
  bool user = false;
  bool kernel = false;
  /// The number of p, 0 to 3: perf_event_attr.precise_ip.
  std::uint8_t precise = 0;

  /// Adds a token that consists of u, k and p only, in any order. Returns false, and changes
  /// nothing, if the token is empty, contains something else, or asks for more than ppp in all.
  bool Take(std::string_view token) noexcept;

  /// Applies the modifiers to a spec. What no modifier states stays as it is: without u and k the
  /// spec keeps its levels, without p its precision.
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

/// Divides one event of a list: "pmu::base:attributes@rate". The rate begins behind the first '@',
/// the PMU ends at the first "::", the name ends at the next ':'. Every text is accepted; missing
/// parts are empty, and has_rate and has_attributes tell an empty part from a missing one. Threads:
/// any. Signals: safe.
EventText SplitEvent(std::string_view item) noexcept;

/// The attributes of an event, one by one: "ANY_P:u" has two.
inline Tokens AttributesOf(const EventText& event) noexcept {
  return {event.attributes, ':', event.has_attributes};
}

/// Replaces the text of `complaint` by `event "NAME"`, for the caller to continue. Returns
/// `complaint`.
EventComplaint& ComplainOf(const EventText& event, EventComplaint& complaint) noexcept;

}  // namespace csink

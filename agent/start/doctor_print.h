#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

namespace csink::agent {

/// Writes to stderr, because stdout belongs to the program. A partial write is not repeated.
void Print(std::string_view text) noexcept;

/// Writes the doctor's findings to stderr, as rows for people or as one line of JSON for programs:
///
///   {"version":1,"csink":"1.0","rows":[{"name":"kernel","text":"...","advice":["..."]}, ...],
///    "perf_event_open":true,"source":"ring","asked":{"understood":true,"text":"...",
///    "events":[{"name":"cycles","available":true}, ...]},"variables":["CSINK_AGENT", ...]}
///
/// "asked" exists if CSINK_EVENTS names events, and "events" if they were understood. The order of
/// calls is Begin, rows and Set functions, End. Each row is written at once, so that a crash or a
/// filter in a later trial leaves the rows before it.
/// Threads: one. Signals: not safe.
class DoctorOutput {
 public:
  explicit DoctorOutput(bool json) noexcept : json_(json) {}

  /// Writes the title, or the beginning of the JSON object.
  void Begin() noexcept;
  /// "  label            text\n", and below it a line with "->" for each line of `advice`. A row
  /// without a label goes on with the one above.
  void Row(std::string_view label, std::string_view text, std::string_view advice = {}) noexcept;
  /// Members of the JSON object that have no row of their own: whether perf events can be used, and
  /// whether the timer source would be.
  void SetSource(bool perf, bool timer) noexcept { perf_ = perf, timer_ = timer; }
  /// The result of parsing CSINK_EVENTS, and the text of its row.
  void SetAsked(bool understood, std::string_view text) noexcept;
  /// One event of CSINK_EVENTS and whether it can be sampled here.
  void AddAskedEvent(std::string_view name, bool available) noexcept;
  /// Writes the row of variables and completes the JSON object. `variables`: names between blanks.
  void End(std::string_view variables) noexcept;

 private:
  /// One line of JSON instead of rows
  bool json_;
  bool perf_ = false;
  bool timer_ = false;
  /// A row was written: the next one needs a comma
  bool any_row_ = false;
  Text<4096> asked_;  ///< The members of "asked"
  /// The elements of "events"
  Text<2048> events_;
};

/// Adds `text` as a JSON string with its quotes. Bytes that are not ASCII become '?'.
template <std::size_t N>
void AddJsonString(Text<N>& out, std::string_view text) noexcept {
  out.Add('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out.Add('\\');
    if (c == '\n') {
      out.Add("\\n");
    } else {
      out.Add(c >= ' ' && c < 127 ? c : '?');
    }
  }
  out.Add('"');
}

/// A decimal number with commas between groups of three digits: 2,000,003.
Text<32> GroupedNumber(std::uint64_t value) noexcept;

}  // namespace csink::agent

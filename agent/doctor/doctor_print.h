#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/text.h"

namespace csink::agent {

/// Writes to stderr; stdout belongs to the program.
void Print(std::string_view text) noexcept;

/// Writes the doctor's findings to stderr, as rows for people or as one line of JSON for programs:
///
///   {"version":1,"csink":"1.0","rows":[{"name":"kernel","text":"...","advice":["..."]}, ...],
///    "perf_event_open":true,"source":"ring","asked":{"understood":true,"text":"...",
///    "events":[{"name":"cycles","available":true}, ...]},"variables":["CSINK_AGENT", ...]}
///
/// "asked" is there when CSINK_EVENTS names events, and "events" when they were understood.
class DoctorOutput {
 public:
  explicit DoctorOutput(bool json) noexcept : json_(json) {}

  void Begin() noexcept;
  /// "  label            text\n", and below it a line with "->" for each line of `advice`. A row
  /// without a label goes on with the one above.
  void Row(std::string_view label, std::string_view text, std::string_view advice = {}) noexcept;
  /// What programs want to know, besides the rows. Of the asked events after the row of them.
  void SetSource(bool perf, bool timer) noexcept { perf_ = perf, timer_ = timer; }
  void SetAsked(bool understood, std::string_view text) noexcept;
  void AddAskedEvent(std::string_view name, bool available) noexcept;
  /// `variables`: names between blanks.
  void End(std::string_view variables) noexcept;

 private:
  bool json_;
  bool perf_ = false;
  bool timer_ = false;
  bool any_row_ = false;
  Text<4096> asked_;  ///< The members of "asked"
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

/// A number with commas: 2,000,003.
Text<32> GroupedNumber(std::uint64_t value) noexcept;

}  // namespace csink::agent

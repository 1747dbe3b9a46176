#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/pfm_library.h"

/// File: asking libpfm4 for encodings, and parsing its answers. The caller holds the catalogue's
/// lock. Signals: not safe.

namespace csink {

/// libpfm4's answer to an event string.
struct PfmAnswer {
  /// PFM_SUCCESS, or why libpfm4 refused the string. The other members are valid only for success.
  int code = PFM_ERR_NOTFOUND;
  /// As libpfm4 fills it in, with the size of this build's struct.
  perf_event_attr attr = {};
  /// The CPU that the string states (":cpu="); -1: none.
  int cpu = -1;
  int event = -1;         ///< libpfm4's index
  std::string canonical;  ///< "skx::UOPS_ISSUED:ANY:e=0:i=0:c=0:u=1:k=1"
};

/// Asks for the encoding of `event` with both privilege levels (PFM_PLM0 | PFM_PLM3). Failures are
/// in PfmAnswer::code.
PfmAnswer AskPfm(const PfmLibrary& pfm, std::string_view event);

/// An attribute after the event's name: "A:c=1" has A and c=1; libpfm4 accepts '.' for ':'. Empty
/// attributes are kept. All parts point into the text.
struct EventToken {
  /// `value` is "" where has_value is false ("A" and "A=" differ in has_value alone).
  std::string_view key;
  std::string_view value;
  bool has_value = false;
};
/// The attributes of "A:c=1.i", in order. Empty for "".
std::vector<EventToken> TokensOf(std::string_view attributes);

/// The attributes of a canonical string, those after "pmu::EVENT:".
std::vector<EventToken> CanonicalTokens(std::string_view canonical);

/// The value of modifier `key` among the tokens, without regard to case: that of the first one with
/// a value. "": it is not there.
std::string_view ValueOf(const std::vector<EventToken>& tokens, std::string_view key) noexcept;

/// A text of libpfm4, which may be a null pointer.
inline std::string_view OrEmpty(const char* text) noexcept {
  return text ? std::string_view(text) : std::string_view();
}

}  // namespace csink

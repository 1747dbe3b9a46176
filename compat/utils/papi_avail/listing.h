#pragma once

#include <papi.h>

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils::avail {

/// The options of a listing (papi_avail without -e).
struct Listing {
  bool available_only = false;
  bool checked = false;  ///< available events are those that could be added to an event set
  bool detail = false;
  unsigned classes = 0;  ///< PAPI_PRESET_BIT_*, or-ed; 0: all

  /// The listing that a command line asks for. Of -d and -t the last one counts.
  static Listing Of(const Arguments& arguments);
};

/// Numbers of events: listed, countable, derived.
struct Counts {
  int possible = 0;
  int available = 0;
  int derived = 0;
};

/// Enumerates the presets or the user events of a listing; `classes` selects presets only. With
/// `available_only` the first preset is returned even if it is not available: PAPI's own tool
/// prints an empty line for it, and scripts count lines.
class Walk {
 public:
  /// `family`: PAPI_PRESET_MASK or PAPI_UE_MASK.
  Walk(const Listing& listing, unsigned family);

  /// Goes to the next event. Returns false at the end of the list. event() and available() are
  /// valid after true alone.
  bool Next();

  const PAPI_event_info_t& event() const noexcept { return event_; }
  /// Whether the event can be counted; with Listing::checked, whether it could be added.
  bool available() const noexcept { return available_; }

 private:
  /// Goes to the next code, of whatever class.
  bool Step();

  const Listing& listing_;
  int code_;
  int modifier_;
  bool is_preset_;
  bool begun_ = false;
  bool available_ = false;
  PAPI_event_info_t event_;
};

/// Prints the lists of papi-tools 7.0: a table, or with `detail` everything about each event;
/// presets, then user events. Returns what was listed.
Counts PrintEvents(const Listing& listing);

/// Prints the last line: "Of 108 possible events, ...".
void PrintCounts(const Listing& listing, const Counts& counts);

/// First id of the options without a letter: the classes of presets have kFirstClass + the bit's
/// number in PAPI_PRESET_BIT_*.
inline constexpr int kFirstClass = kFirstWordOption;

/// papi_avail's options, help and man page.
extern const Tool kTool;

}  // namespace csink::utils::avail

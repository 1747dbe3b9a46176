#pragma once

#include <papi.h>

#include "compat/utils/options.h"

namespace csink::utils::avail {

/// What is listed and how.
struct Listing {
  bool available_only = false;
  bool checked = false;  ///< available is what could be added to an event set
  bool detail = false;
  unsigned classes = 0;  ///< PAPI_PRESET_BIT_*, or-ed; 0: all

  static Listing Of(const Arguments& arguments);
};

/// How many events were listed, could be counted, and were derived.
struct Counts {
  int possible = 0;
  int available = 0;
  int derived = 0;
};

/// Steps through the presets or the user-defined events of a listing; classes choose presets alone.
/// With `available_only` the first preset comes even when it is not: PAPI's own tool leaves an
/// empty line for it, and scripts count lines.
class Walk {
 public:
  /// `family`: PAPI_PRESET_MASK or PAPI_UE_MASK.
  Walk(const Listing& listing, unsigned family);

  /// False after the last one.
  bool Next();

  const PAPI_event_info_t& event() const noexcept { return event_; }
  bool available() const noexcept { return available_; }

 private:
  bool Step();

  const Listing& listing_;
  int code_;
  int modifier_;
  bool is_preset_;
  bool begun_ = false;
  bool available_ = false;
  PAPI_event_info_t event_;
};

/// The lists of papi-tools 7.0: a table, or with `detail` everything of each event.
Counts PrintEvents(const Listing& listing);

/// "Of 108 possible events, ..."
void PrintCounts(const Listing& listing, const Counts& counts);

}  // namespace csink::utils::avail

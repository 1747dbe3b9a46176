#pragma once

#include <functional>
#include <string_view>

#include "compat/utils/native_event.h"
#include "compat/utils/options.h"

namespace csink::utils::native {

/// The options of a listing (papi_native_avail without -e). The texts point into the command line.
struct Listing {
  const char* include = nullptr;  ///< -i; nullptr: all
  const char* exclude = nullptr;  ///< -x; nullptr: none
  bool qualifiers = true;         ///< without --noqual
  bool groups = true;             ///< without --nogroups
  bool patterns = false;          ///< --patterns
  bool checked = false;           ///< -c: each event is tried
  int modifier;                   ///< PAPI_ENUM_EVENTS, or a kind: PAPI_NTV_ENUM_DARR and others

  /// The listing that a command line asks for. Of several kinds the last one of the table counts.
  static Listing Of(const Arguments& arguments);
  /// True if a name has the text of -i and not that of -x.
  bool Takes(std::string_view name) const;
};

/// Calls `begin` for each component that is not disabled, and then `use` for each of its listed
/// events, in the library's order. Unit masks are not listed as events.
void ForEachEvent(const Listing& listing,
                  const std::function<void(const PAPI_component_info_t&)>& begin,
                  const std::function<void(const PAPI_event_info_t&)>& use);

/// Prints the list in the boxes of papi-tools 7.0. Returns the number of events.
int PrintEvents(const Listing& listing);

}  // namespace csink::utils::native

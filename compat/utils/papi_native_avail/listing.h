#pragma once

#include <functional>
#include <string_view>

#include "compat/utils/native_event.h"
#include "compat/utils/options.h"

namespace csink::utils::native {

/// The options of a listing.
struct Listing {
  const char* include = nullptr;
  const char* exclude = nullptr;
  bool qualifiers = true;
  bool groups = true;
  bool patterns = false;
  bool checked = false;
  int modifier;  ///< PAPI_ENUM_EVENTS, or a kind: PAPI_NTV_ENUM_DARR and others

  static Listing Of(const Arguments& arguments);
  /// True if a name has the text of -i and not that of -x.
  bool Takes(std::string_view name) const;
};

/// Calls `begin` for each component that is not disabled, and then `use` for each of its listed
/// events.
void ForEachEvent(const Listing& listing,
                  const std::function<void(const PAPI_component_info_t&)>& begin,
                  const std::function<void(const PAPI_event_info_t&)>& use);

/// Prints the list in the boxes of papi-tools 7.0. Returns the number of events.
int PrintEvents(const Listing& listing);

}  // namespace csink::utils::native

#pragma once

#include <functional>
#include <string_view>

#include "compat/utils/native_event.h"
#include "compat/utils/options.h"

namespace csink::utils::native {

/// What is listed and how.
struct Listing {
  const char* include = nullptr;
  const char* exclude = nullptr;
  bool qualifiers = true;
  bool groups = true;
  bool patterns = false;
  bool checked = false;
  int modifier;  ///< PAPI_ENUM_EVENTS, or PAPI_NTV_ENUM_DARR and its like

  static Listing Of(const Arguments& arguments);
  bool Takes(std::string_view name) const;
};

/// Calls `begin` for each component that is not disabled and `use` for each event of the listing.
void ForEachEvent(const Listing& listing,
                  const std::function<void(const PAPI_component_info_t&)>& begin,
                  const std::function<void(const PAPI_event_info_t&)>& use);

/// The boxes of papi-tools 7.0. Gives the number of events.
int PrintEvents(const Listing& listing);

}  // namespace csink::utils::native

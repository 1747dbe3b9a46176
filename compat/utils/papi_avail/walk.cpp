#include "compat/utils/events.h"
#include "compat/utils/papi_avail/listing.h"

/// File: the enumeration behind both forms of the listing.

namespace csink::utils::avail {

Listing Listing::Of(const Arguments& arguments) {
  Listing listing;
  listing.checked = arguments.Has('c');
  listing.available_only = listing.checked || arguments.Has('a');
  listing.detail = arguments.Has('d');
  for (const Arguments::Given& given : arguments.given()) {
    if (given.id >= kFirstClass) listing.classes |= 1u << (given.id - kFirstClass);
    // Of -t and -d the last one counts.
    if (given.id == 't') listing.detail = false;
    if (given.id == 'd') listing.detail = true;
  }
  return listing;
}

// User events cannot be enumerated by availability; available() is computed for them.
Walk::Walk(const Listing& listing, unsigned family)
    : listing_(listing),
      code_(static_cast<int>(family)),
      modifier_(PAPI_ENUM_EVENTS),
      is_preset_(family == static_cast<unsigned>(PAPI_PRESET_MASK)) {
  if (is_preset_ && listing.available_only) modifier_ = PAPI_PRESET_ENUM_AVAIL;
}

// The first step goes to the first code, whatever the modifier is; see the class for what this
// means.
bool Walk::Step() {
  const int modifier = begun_ ? modifier_ : PAPI_ENUM_FIRST;
  begun_ = true;
  return PAPI_enum_event(&code_, modifier) == PAPI_OK;
}

bool Walk::Next() {
  while (Step()) {
    if (PAPI_get_event_info(code_, &event_) != PAPI_OK) continue;
    // The library enumerates one class at a time; several classes are or-ed here.
    if (is_preset_ && listing_.classes != 0 && (event_.event_type & listing_.classes) == 0) {
      continue;
    }
    // A preset that cannot be counted has no native events (papi.h, PAPI_get_event_info).
    available_ = event_.count != 0 && (!listing_.checked || CanBeAdded(code_));
    return true;
  }
  return false;
}

}  // namespace csink::utils::avail

#pragma once

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// The last value0 of an event, converted from the bits according to the event's data_type.
/// `event`: 0 to set.num_events - 1.
/// Threads: call it in the timer's callback, or when the timer is done.
long double Sample(const apapi_eventset& set, int event) noexcept;

}  // namespace csink::apapi

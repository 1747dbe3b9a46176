#pragma once

#include "compat/apapi/include/apapi.h"

namespace csink::apapi {

/// The last value0 of an event (`event` < set.num_events) as the number that its bits stand for.
/// Threads: in the timer's callback, or when the timer is done.
long double Sample(const apapi_eventset& set, int event) noexcept;

}  // namespace csink::apapi

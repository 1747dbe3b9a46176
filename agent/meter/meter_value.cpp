#include "agent/meter/meter_value.h"

#include <algorithm>
#include <cmath>

#include "profil/format/format.h"

namespace csink::agent {

void AddFailure(MeterValue& value) {
  value.flags |= spool::kCounterFailed;
  ++value.failed;
}

void AddBeginning(MeterValue& value, std::uint64_t now_ns) {
  value.flags |= spool::kCounterIsLowerBound;
  if (value.readings++ == 0) value.first_ns = now_ns;
  value.last_ns = now_ns;
}

bool AddReading(MeterValue& value, const MeterBefore& before, double now, std::uint64_t now_ns) {
  const bool accumulates = (value.flags & spool::kCounterAccumulates) != 0;
  if (!std::isfinite(now) || (accumulates && before.ns != 0 && now < before.value)) {
    AddFailure(value);
    return false;
  }
  const std::uint64_t passed_ns = before.ns != 0 ? now_ns - before.ns : 0;
  if (accumulates) {
    if (before.ns != 0) value.value += now - before.value;
  } else {
    value.minimum = value.readings != 0 ? std::min(value.minimum, now) : now;
    value.maximum = value.readings != 0 ? std::max(value.maximum, now) : now;
    // The trapezoid between both readings. The value at the end of an interval alone would count a
    // power that rises as if it had been high all the time.
    value.time_sum += (before.value + now) / 2 * static_cast<double>(passed_ns);
    value.value = now;
  }
  if (value.readings++ == 0) value.first_ns = now_ns;
  value.last_ns = now_ns;
  value.covered_ns += passed_ns;
  return true;
}

}  // namespace csink::agent

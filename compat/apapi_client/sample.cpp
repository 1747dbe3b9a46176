#include "compat/apapi_client/sample.h"

#include <papi.h>

#include <bit>

namespace csink::apapi {

long double Sample(const apapi_eventset& set, int event) noexcept {
  // value0 of an event has the type of its counter; a long double holds 64 bits exactly.
  const long long bits = set.current_samples[event];
  switch (set.event_ops[event].data_type) {
    case PAPI_DATATYPE_FP64:
      return std::bit_cast<double>(bits);
    case PAPI_DATATYPE_UINT64:
    case PAPI_DATATYPE_BIT64:
      return static_cast<long double>(static_cast<unsigned long long>(bits));
    default:
      return static_cast<long double>(bits);
  }
}

}  // namespace csink::apapi

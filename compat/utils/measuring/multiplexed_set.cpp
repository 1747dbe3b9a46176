#include "compat/utils/measuring/multiplexed_set.h"

#include <papi.h>

/// File: a set that is multiplexed before it gets its first event, so that it accepts more events
/// than there are counters.

namespace csink::utils {
namespace {

// Makes the set a multiplexed one of component 0. PAPI needs the component first: a set without one
// cannot be multiplexed. With PAPI_MULTIPLEX_FORCE_SW the library's default slice is passed.
int Multiplex(int set, int flags) {
  const int code = PAPI_assign_eventset_component(set, 0);
  if (code != PAPI_OK) return code;
  if (flags == PAPI_MULTIPLEX_DEFAULT) return PAPI_set_multiplex(set);
  PAPI_option_t option = {};
  if (const int asked = PAPI_get_opt(PAPI_DEF_MPX_NS, &option); asked < 0) return asked;
  const int interval_ns = option.multiplex.ns;
  option = {};
  option.multiplex.eventset = set;
  option.multiplex.ns = interval_ns;
  option.multiplex.flags = flags;
  return PAPI_set_opt(PAPI_MULTIPLEX, &option);
}

}  // namespace

// set_ is declared before code_, so that it is PAPI_NULL when the set is made.
MultiplexedSet::MultiplexedSet(int flags) : set_(PAPI_NULL), code_(PAPI_create_eventset(&set_)) {
  if (code_ == PAPI_OK) code_ = Multiplex(set_, flags);
}

MultiplexedSet::~MultiplexedSet() {
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
}

int MultiplexedSet::Add(int event) { return PAPI_add_event(set_, event); }

}  // namespace csink::utils

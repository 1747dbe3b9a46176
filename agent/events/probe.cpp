#include "agent/events/probe.h"

#include <sys/auxv.h>

namespace csink::agent {

bool IsSecureExecution() noexcept { return getauxval(AT_SECURE) != 0; }

}  // namespace csink::agent

#pragma once

#include "core/counting/components/component.h"

namespace csink::papi {

/// File: abilities of the counters that PAPI 3.5's substrate info reports.

/// Modifiers that the processor's events accept: "e" counts the beginnings of a condition (edges),
/// "i" inverts the comparison with ":c=".
struct EventModifiers {
  bool edge = false;
  bool invert = false;
};

/// The modifiers of the first event of the processor's own PMU; its other events accept the same.
/// All false on machines that have software events alone.
/// Threads: any. Signals: not safe.
EventModifiers FindEventModifiers(Component& component);

}  // namespace csink::papi

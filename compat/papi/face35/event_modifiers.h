#pragma once

#include "core/components/component.h"

namespace csink::papi {

/// File: what PAPI 3.5's substrate says of its events.

/// The modifiers that events of the processor take: "e" counts the beginnings of what lasts, "i"
/// turns the comparison with ":c=" round.
struct EventModifiers {
  bool edge = false;
  bool invert = false;
};

/// Of the first event that is a counter's of the processor; its PMU's other events take the same.
/// None where only the kernel's software events count. Threads: any. Signals: not safe.
EventModifiers FindEventModifiers(Component& component);

}  // namespace csink::papi

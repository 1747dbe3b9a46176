#pragma once

#include "core/events/event_spec.h"

namespace csink::agent {

/// What is sampled when nobody says: cycles with a hardware PMU, else the CPU clock,
/// each at its default period.
EventSpec TaskClock() noexcept;
EventSpec Cycles() noexcept;

}  // namespace csink::agent

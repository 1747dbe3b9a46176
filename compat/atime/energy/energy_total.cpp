#include "compat/atime/energy/energy_total.h"

#include <algorithm>

/// File: which energies belong into the total. The answer for one event depends on the others,
/// because components measure the same devices.

namespace csink::atime {
namespace {

using Energies = std::span<const EventEnergy>;

/// Whether the energy of such a place was measured.
bool Has(Energies energies, EnergyPlace place) {
  return std::any_of(energies.begin(), energies.end(),
                     [&](const EventEnergy& e) { return e.source.place == place; });
}

/// The component whose packages (or memory) are counted; "": none has any.
std::string PreferredOf(Energies energies, EnergyPlace place) {
  // In the order of preference.
  for (const char* component : {"rapl", "powercap", "hwmon", "cray_pm"}) {
    for (const EventEnergy& e : energies) {
      if (e.source.place == place && e.component == component) return component;
    }
  }
  return {};
}

/// Whether another event measures the same device and is to be preferred: a counter to a sensor of
/// power, a reading that is renewed more often to another one, and of equals the first.
bool IsRepeated(Energies energies, const EventEnergy& event) {
  for (const EventEnergy& other : energies) {
    const bool same = other.component == event.component &&
                      other.source.place == event.source.place &&
                      other.source.device == event.source.device;
    if (!same) continue;
    // A counter misses nothing between two samples; a sensor of power does.
    if (other.is_counter != event.is_counter) {
      if (other.is_counter) return true;
    } else if (other.source.steps.update_seconds != event.source.steps.update_seconds) {
      // The power of the moment to a mean.
      if (other.source.steps.update_seconds < event.source.steps.update_seconds) return true;
    } else if (&other < &event) {
      return true;
    }
  }
  return false;
}

/// Why the event is not in the total; "": it is.
std::string WhyNot(Energies energies, const EventEnergy& event) {
  const EnergyPlace place = event.source.place;
  const bool has_package = Has(energies, EnergyPlace::kPackage);
  switch (place) {
    case EnergyPlace::kPackage:
    case EnergyPlace::kMemory:
      // Without a package the platform stands for the memory, too.
      if (!has_package && Has(energies, EnergyPlace::kPlatform)) return "part of the platform";
      if (event.component != PreferredOf(energies, place)) {
        return "the same as " + PreferredOf(energies, place) + "'s";
      }
      break;
    case EnergyPlace::kGpu:
      if (!has_package && Has(energies, EnergyPlace::kPlatform)) {
        return "the platform may contain it";
      }
      // The node's controller measures the cards that their drivers measure.
      if (event.component == "cray_pm") {
        for (const EventEnergy& other : energies) {
          if (other.source.place == place && other.component != "cray_pm") {
            return "the same as " + other.component + "'s";
          }
        }
      }
      break;
    case EnergyPlace::kPlatform:
      // The packages are in the total, and the platform contains them.
      if (has_package) return PlaceText(place);
      // There is one platform.
      if (event.component != "rapl" && Has(energies, place) &&
          std::any_of(energies.begin(), energies.end(), [&](const EventEnergy& e) {
            return e.source.place == place && e.component == "rapl";
          })) {
        return "the same as rapl's";
      }
      break;
    case EnergyPlace::kServer:
    case EnergyPlace::kPart:
    case EnergyPlace::kLimit:
    case EnergyPlace::kOther:
      return PlaceText(place);
  }
  return IsRepeated(energies, event) ? "another event measures the same device" : "";
}

}  // namespace

std::optional<EnergyTotal> TotalOf(Energies energies, double run_seconds) {
  EnergyTotal total;
  std::vector<const EventEnergy*> included;
  for (const EventEnergy& event : energies) {
    if (std::string why = WhyNot(energies, event); !why.empty()) {
      total.left_out.push_back({event.name, std::move(why)});
      continue;
    }
    included.push_back(&event);
    total.names.push_back(event.name);
    total.energy.joules += event.energy.joules;
    total.energy.low += event.energy.low;
    total.energy.high += event.energy.high;
    // Not the sum of joules by one time: each event has its own first and last sample.
    total.watts += event.energy.joules / event.seconds;
    total.seconds = std::max(total.seconds, event.seconds);
  }
  if (included.empty()) return std::nullopt;
  for (const EventEnergy* event : included) {
    if (event->seconds < 0.95 * std::max(total.seconds, run_seconds))
      total.shorter.push_back(event->name);
  }
  return total;
}

}  // namespace csink::atime

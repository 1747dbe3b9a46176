#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profil/statistics/energy_bounds.h"

/// File: what an event of energy or power measures, by its name, and how fine its device counts.

namespace csink::atime {

/// What the energy of an event contains.
enum class EnergyPlace : std::uint8_t {
  kPackage,   ///< A processor package: contains its cores and its integrated graphics
  kMemory,    ///< Memory (dram); beside the package
  kGpu,       ///< A graphics card; beside the package
  kPart,      ///< A part of a package: cores, integrated graphics
  kPlatform,  ///< psys: contains the packages and more
  kServer,    ///< A BMC's power of the whole server: contains everything
  kLimit,     ///< A limit or a setting; no energy that was used
  kOther,     ///< Not known what contains it
};

/// What is known of an event by its name.
struct EnergySource {
  EnergyPlace place = EnergyPlace::kOther;
  /// Identifies what is measured, among the events of one component: a package, a card. The
  /// counter and the power sensor of a card have the same one.
  std::string device;
  /// The documented quantum and update period; 0: not documented.
  EnergySteps steps;
};

/// `event`: PAPI's name with or without the component ("nvml:::Tesla_K20c:power"). `description`:
/// the component's sentence for the event, which contains the names that the kernel gives to zones
/// and sensors ("Energy used (package-0)"). Every name is accepted; an unknown one is kOther.
/// Threads: any. Signals: not safe.
EnergySource SourceOf(std::string_view component, std::string_view event,
                      std::string_view description);

/// For users: "part of a package".
const char* PlaceText(EnergyPlace place) noexcept;

}  // namespace csink::atime

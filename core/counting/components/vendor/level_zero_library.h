#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/counting/components/vendor/vendor_library.h"

/// File: Level Zero's sysman interface, loaded at run time.

namespace csink::level_zero {

/// The documented C interface (oneAPI Level Zero specification, "Sysman", 1.5 and later). Every
/// function returns a ze_result_t, 0 for success. Drivers, devices and power domains are opaque
/// pointers. A list is asked for twice: with a count of 0 for its length, then for its entries.
using Answer = std::uint32_t;
using Handle = void*;

/// The values of ze_result_t that are handled.
inline constexpr Answer kDeviceLost = 0x70000001, kNoPermission = 0x70010000,
                        kNoDriver = 0x70020000, kUninitialized = 0x78000001,
                        kUnsupported = 0x78000003;

/// zes_power_energy_counter_t.
struct EnergyCounter {
  std::uint64_t energy = 0;     ///< uJ
  std::uint64_t timestamp = 0;  ///< us
};

/// zes_power_properties_t.
struct PowerProperties {
  std::uint32_t type = 0xd;  ///< ZES_STRUCTURE_TYPE_POWER_PROPERTIES
  void* next = nullptr;
  std::uint8_t is_on_subdevice = 0;  ///< ze_bool_t
  std::uint32_t subdevice = 0;
  std::uint8_t can_control = 0, has_threshold = 0;
  std::int32_t default_limit = 0, least_limit = 0, most_limit = 0;
};
static_assert(sizeof(EnergyCounter) == 16);
static_assert(sizeof(PowerProperties) == 40);

/// The functions that are used; those that the loader lacks are nullptr.
/// Owns: the library's handle. Threads: any.
struct Library {
  explicit Library(std::initializer_list<const char*> names) noexcept : library(names) {
    library.Find("zesInit", init);
    library.Find("zesDriverGet", drivers);
    library.Find("zesDeviceGet", devices);
    library.Find("zesDeviceEnumPowerDomains", domains);
    library.Find("zesDeviceGetCardPowerDomain", card_domain);
    library.Find("zesPowerGetProperties", properties);
    library.Find("zesPowerGetEnergyCounter", energy);
  }
  bool complete() const noexcept {
    return init && drivers && devices && domains && properties && energy;
  }

  VendorLibrary library;
  Answer (*init)(std::uint32_t flags) = nullptr;
  Answer (*drivers)(std::uint32_t* count, Handle*) = nullptr;
  Answer (*devices)(Handle driver, std::uint32_t* count, Handle*) = nullptr;
  Answer (*domains)(Handle device, std::uint32_t* count, Handle*) = nullptr;
  Answer (*card_domain)(Handle device, Handle*) = nullptr;
  Answer (*properties)(Handle domain, PowerProperties*) = nullptr;
  Answer (*energy)(Handle domain, EnergyCounter*) = nullptr;
};

}  // namespace csink::level_zero

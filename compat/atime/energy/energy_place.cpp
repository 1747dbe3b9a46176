#include "compat/atime/energy/energy_place.h"

#include "compat/apapi/interval/energy_counters.h"

/// File: one function for each component, because each component names its events in its own way.
/// An event that is not recognised is kOther: it is shown, but it is not in the total.

namespace csink::atime {
namespace {

// RAPL: Intel SDM volume 3B, 15.10: units of 2^-ESU J. ESU is 16 by default; processors since
// Haswell report 14, which is 61 uJ. AMD's registers have the same layout. perf and powercap show
// finer units, but the registers are the same.
constexpr EnergySteps kRapl = {1.0 / 16384, kRaplUpdateNs / 1e9};
// NVML's documentation states mJ.
constexpr EnergySteps kNvmlEnergy = {1e-3, kNvmlUpdateNs / 1e9};
// NVML's documentation of nvmlDeviceGetPowerUsage: since Ampere the mean of the last second.
constexpr EnergySteps kNvmlPower = {1e-3, 1};
// A reading of the moment. It is taken to be as old as the card's counter at most.
constexpr EnergySteps kNvmlInstantPower = {1e-3, kNvmlUpdateNs / 1e9};
// DCMI: whole W, of a period that the BMC chooses; BMCs answer with a value of the last second.
constexpr EnergySteps kBmc = {1, 1};

/// Whether the text contains the part.
bool Has(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

/// "PACKAGE0" of "DRAM_ENERGY:PACKAGE0".
std::string AfterColon(std::string_view name) {
  const std::size_t colon = name.find(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

/// What an event of the component rapl measures: "PACKAGE_ENERGY:PACKAGE0".
EnergySource OfRapl(std::string_view name) {
  EnergySource source = {EnergyPlace::kOther, AfterColon(name), kRapl};
  const std::string_view kind = name.substr(0, name.find(':'));
  if (kind == "PACKAGE_ENERGY") source.place = EnergyPlace::kPackage;
  if (kind == "DRAM_ENERGY") source.place = EnergyPlace::kMemory;
  if (kind == "PP0_ENERGY" || kind == "PP1_ENERGY") source.place = EnergyPlace::kPart;
  if (kind == "PSYS_ENERGY") source.place = EnergyPlace::kPlatform;
  // Raw counts and power limits have units of their own.
  if (source.place == EnergyPlace::kOther) source.steps = {};
  return source;
}

// The zone's name stands in parentheses at the end of the description.
EnergySource OfPowercap(std::string_view name, std::string_view description) {
  EnergySource source = {EnergyPlace::kOther, AfterColon(name), {}};
  // POWER_UW is a power that was measured; everything else of a zone is a limit or a setting.
  if (!name.starts_with("ENERGY_UJ")) {
    if (!name.starts_with("POWER_UW")) source.place = EnergyPlace::kLimit;
    return source;
  }
  // "ENERGY_UJ:arm-scmi:ZONE0": the firmware chooses the names of these zones.
  if (source.device.find(':') != std::string::npos) return source;
  // Without the closing parenthesis: the zone's name has a number, "package-0".
  if (Has(description, "(package")) source.place = EnergyPlace::kPackage;
  if (Has(description, "(dram)")) source.place = EnergyPlace::kMemory;
  if (Has(description, "(core)") || Has(description, "(uncore)")) {
    source.place = EnergyPlace::kPart;
  }
  if (Has(description, "(psys)")) source.place = EnergyPlace::kPlatform;
  // These zones are the same registers as rapl's. Other zones belong to other devices.
  if (source.place != EnergyPlace::kOther) source.steps = kRapl;
  return source;
}

// The files of /sys/cray/pm_counters: whole J and W.
EnergySource OfCray(std::string_view name) {
  EnergySource source = {
      EnergyPlace::kOther, std::string(name.substr(0, name.rfind('_'))), {1, kCrayUpdateNs / 1e9}};
  // Files without a prefix are of the whole node.
  if (name == "energy" || name == "power") {
    source.place = EnergyPlace::kServer;
    source.device = "node";
  } else if (source.device == "cpu") {
    source.place = EnergyPlace::kPackage;
  } else if (source.device == "memory") {
    source.place = EnergyPlace::kMemory;
  } else if (source.device.starts_with("accel")) {
    source.place = EnergyPlace::kGpu;
  }
  return source;
}

/// "Tesla_K20c:power": what stands before the last colon is the card.
EnergySource OfNvml(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const std::string_view kind =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  EnergySource source = {EnergyPlace::kOther, std::string(name.substr(0, colon)), {}};
  if (kind == "energy" || kind == "power" || kind == "power_instant") {
    source.place = EnergyPlace::kGpu;
    source.steps = kind == "energy"  ? kNvmlEnergy
                   : kind == "power" ? kNvmlPower
                                     : kNvmlInstantPower;
  } else if (Has(kind, "limit")) {
    // A power limit has the unit of a power, so without this row it would look like a measured one.
    source.place = EnergyPlace::kLimit;
  }
  return source;
}

// "energy:device_0" and "power:device_0". ROCm SMI and Level Zero document neither the quantum nor
// the period of their energies; ROCm SMI's power is a mean of a short time that is not documented.
EnergySource OfDevice(std::string_view name) {
  EnergySource source = {EnergyPlace::kGpu, AfterColon(name), {}};
  if (name.starts_with("power:")) source.steps = {1e-6, 1};
  return source;
}

// amd_energy labels its sensors Esocket0 and Ecore000 (Documentation/hwmon/amd_energy.rst). Of
// other drivers it is not known whether a package contains what they measure: amdgpu also drives
// the graphics inside a processor.
EnergySource OfHwmon(std::string_view name, std::string_view description) {
  EnergySource source = {EnergyPlace::kOther, std::string(name), {}};
  if (!name.starts_with("amd_energy")) return source;
  source.steps = kRapl;
  if (Has(description, "(Esocket")) source.place = EnergyPlace::kPackage;
  if (Has(description, "(Ecore")) source.place = EnergyPlace::kPart;
  return source;
}

}  // namespace

EnergySource SourceOf(std::string_view component, std::string_view event,
                      std::string_view description) {
  // PAPI's names of CPU events have no component in front.
  const std::size_t separator = event.find(":::");
  const std::string_view name =
      separator == std::string_view::npos ? event : event.substr(separator + 3);
  if (component == "rapl") return OfRapl(name);
  if (component == "powercap") return OfPowercap(name, description);
  if (component == "nvml") return OfNvml(name);
  if (component == "hwmon") return OfHwmon(name, description);
  if (component == "rocm_smi" || component == "level_zero") return OfDevice(name);
  if (component == "cray_pm") return OfCray(name);
  if (component == "ipmi") return {EnergyPlace::kServer, std::string(name), kBmc};
  return {EnergyPlace::kOther, std::string(name), {}};
}

const char* PlaceText(EnergyPlace place) noexcept {
  switch (place) {
    case EnergyPlace::kPackage:
      return "package";
    case EnergyPlace::kMemory:
      return "memory";
    case EnergyPlace::kGpu:
      return "GPU";
    case EnergyPlace::kPart:
      return "part of a package";
    case EnergyPlace::kPlatform:
      return "platform, which contains the packages";
    case EnergyPlace::kServer:
      return "whole server";
    case EnergyPlace::kLimit:
      return "a limit, not a measured power";
    case EnergyPlace::kOther:
      break;
  }
  return "not known what contains it";
}

}  // namespace csink::atime

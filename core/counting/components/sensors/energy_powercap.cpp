#include <cerrno>
#include <optional>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/sensors/energy_way.h"
#include "core/counting/components/sensors/powercap_zones.h"
#include "core/machine/clocks.h"

/// File: energies from the zones of /sys/class/powercap: energy_uj counts µJ and wraps to 0 after
/// max_energy_range_uj. A zone's name tells the domain, and the name of the zone around it the
/// package. Zones of several dies of one package are added up.

namespace csink {
namespace {

class PowercapEnergyPart final : public ReadingPart {
 public:
  // One zone's file and its extension to 64 bits.
  struct Counter {
    DeviceFile file;
    DeviceCounter counter;
  };
  std::vector<std::vector<Counter>> sums;  ///< A sum has one counter for each die

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    std::uint64_t uj = 0;
    for (Counter& counter : sums[index]) {
      const Result<std::int64_t> raw = counter.file.Number();
      if (!raw) return raw.error();
      if (*raw < 0) return Error{Errc::kCorrupt, 0, "an energy value is negative"};
      // Each die's counter wraps on its own, so each is extended before the sum.
      const auto taken =
          Judge(counter.counter.Take(static_cast<std::uint64_t>(*raw), MonotonicNs()), kRefused);
      if (!taken) return taken.error();
      uj += *taken;
    }
    return uj * 1000;
  }
};

// The domain of a zone by the kernel's name; nullopt: another one. Top-level zones are packages or
// the platform, subzones are domains of a package.
std::optional<EnergyDomain> DomainOf(const PowercapZone& zone) {
  if (!zone.is_subzone()) {
    if (zone.name == "psys") return EnergyDomain::kPsys;
    return PackageIdOf(zone) ? std::optional(EnergyDomain::kPackage) : std::nullopt;
  }
  if (zone.name == "core") return EnergyDomain::kPp0;
  if (zone.name == "uncore") return EnergyDomain::kPp1;
  if (zone.name == "dram") return EnergyDomain::kDram;
  return std::nullopt;
}

// Domain and package of a zone; the package by ProcessorMap.
struct Found {
  EnergyDomain domain;
  unsigned package;
};

// nullopt: a zone of another kind, or of a package without a CPU that is online.
std::optional<Found> PlaceOf(const std::vector<PowercapZone>& zones, const PowercapZone& zone,
                             const ProcessorMap& processors) {
  const std::optional<EnergyDomain> domain = DomainOf(zone);
  if (!domain) return std::nullopt;
  if (*domain == EnergyDomain::kPsys) return Found{*domain, 0};
  for (const PowercapZone& parent : zones) {
    // The zone around a subzone is the one with the same first number; a zone is its own.
    if (parent.zone() != zone.zone() || parent.is_subzone()) continue;
    const std::optional<unsigned> id = PackageIdOf(parent);
    const int package = id ? processors.PackageOfId(*id) : -1;
    if (package >= 0) return Found{*domain, static_cast<unsigned>(package)};
  }
  return std::nullopt;
}

}  // namespace

EnergyWay OpenPowercapEnergy(const SystemTree& tree, const ProcessorMap& processors) {
  EnergyWay way;
  auto part = std::make_unique<PowercapEnergyPart>();
  const std::vector<PowercapZone> zones = FindRaplZones(tree);
  if (zones.empty()) way.obstacle = "/sys/class/powercap has no RAPL zones";
  for (const PowercapZone& zone : zones) {
    const std::optional<Found> found = PlaceOf(zones, zone, processors);
    if (!found) continue;
    Result<DeviceFile> file = DeviceFile::Open(tree, zone.folder + "/energy_uj");
    if (!file) {
      way.obstacle = file.error().code == Errc::kPermission
                         ? zone.folder + "/energy_uj is readable by root only (needs " +
                               "CAP_DAC_READ_SEARCH, or chmod a+r by an administrator)"
                         : zone.folder + "/energy_uj cannot be opened";
      continue;
    }
    const RaplLimits limits = RaplLimitsOf(tree, zone);
    // Reading once shows what opening does not: zones that answer with an error.
    if (const Result<std::int64_t> first = file->Number(); !first || *first < 0) {
      way.obstacle = zone.folder + "/energy_uj cannot be read";
      continue;
    }
    std::size_t at = 0;
    while (at < way.readings.size() && (way.readings[at].domain != found->domain ||
                                        way.readings[at].package != found->package)) {
      ++at;
    }
    if (at == way.readings.size()) {
      way.readings.push_back(
          {found->domain, found->package, WrapNs(limits.counter.range, limits.most_per_second)});
      part->sums.emplace_back();
    }
    // Each die of a sum may use its most.
    way.readings[at].most_per_second += limits.most_per_second * 1000;
    part->sums[at].push_back({std::move(*file), DeviceCounter(limits.counter)});
  }
  if (!way.readings.empty()) way.part = std::move(part);
  return way;
}

}  // namespace csink

#include "core/counting/components/sensors/powercap_zones.h"

#include <algorithm>
#include <tuple>

#include "core/util/parse.h"

// File: zones are found by the names of their folders. The links between zones in sysfs are not
// followed: a subzone's name begins with that of its zone.

namespace csink {
namespace {

constexpr std::string_view kFolder = "/sys/class/powercap/";
// The kernel uses this name for AMD's processors, too.
constexpr std::string_view kRapl = "intel-rapl";
constexpr std::string_view kSecondInterface = "intel-rapl-mmio";
// Far more than machines have packages; numbers beyond it are other names.
constexpr std::uint64_t kMostZones = 1024;
// dtpm nests its zones as the devices are nested; nothing has as many levels.
constexpr std::size_t kMostLevels = 8;

// "arm-scmi:0:1". Returns false if it is no zone: a controller itself has no number.
bool TakeName(std::string_view entry, PowercapZone& zone) {
  zone.controller = NextToken(entry, ':');
  if (zone.controller.empty() || zone.controller == kSecondInterface) return false;
  while (!entry.empty() && zone.numbers.size() < kMostLevels) {
    const Result<std::uint64_t> number = ParseUnsigned(NextToken(entry, ':'));
    if (!number || *number >= kMostZones) return false;
    zone.numbers.push_back(static_cast<unsigned>(*number));
  }
  // The kernel has no third level for RAPL.
  const std::size_t most = zone.controller == kRapl ? 2 : kMostLevels;
  return entry.empty() && !zone.numbers.empty() && zone.numbers.size() <= most;
}

}  // namespace

std::vector<PowercapZone> FindPowercapZones(const SystemTree& tree) {
  std::vector<PowercapZone> zones;
  for (const std::string& entry : tree.Names(kFolder)) {
    PowercapZone zone;
    if (!TakeName(entry, zone)) continue;
    zone.folder = std::string(kFolder) + entry;
    zone.name = tree.Line(zone.folder + "/name");
    // A zone that goes while it is looked at has no name.
    if (!zone.name.empty()) zones.push_back(std::move(zone));
  }
  std::sort(zones.begin(), zones.end(), [](const PowercapZone& a, const PowercapZone& b) {
    const bool a_is_other = a.controller != kRapl, b_is_other = b.controller != kRapl;
    return std::tie(a_is_other, a.controller, a.numbers) <
           std::tie(b_is_other, b.controller, b.numbers);
  });
  return zones;
}

std::vector<PowercapZone> FindRaplZones(const SystemTree& tree) {
  std::vector<PowercapZone> zones = FindPowercapZones(tree);
  std::erase_if(zones, [](const PowercapZone& zone) { return zone.controller != kRapl; });
  return zones;
}

std::optional<unsigned> PackageIdOf(const PowercapZone& zone) {
  constexpr std::string_view kPackage = "package-";
  std::string_view name = zone.name;
  if (zone.is_subzone() || !name.starts_with(kPackage)) return std::nullopt;
  name.remove_prefix(kPackage.size());
  const Result<std::uint64_t> id = ParseUnsigned(NextToken(name, '-'));
  if (!id || *id > UINT32_MAX) return std::nullopt;
  return static_cast<unsigned>(*id);
}

double MostWattsOf(const SystemTree& tree, const PowercapZone& zone) {
  double most = 0;
  // Long term, short term and, since Tiger Lake, the peak (PL1, PL2, PL4).
  for (const char* constraint : {"/constraint_0_", "/constraint_1_", "/constraint_2_"}) {
    for (const char* file : {"max_power_uw", "power_limit_uw"}) {
      const auto microwatts = tree.Number(zone.folder + constraint + file);
      if (microwatts) most = std::max(most, static_cast<double>(*microwatts) / 1e6);
    }
  }
  // Twice the highest limit: limits hold for averages over their time windows, and some BIOSes
  // report wrong values. Too high a value only means that the counters are read more often.
  constexpr double kLeast = 100;
  return most > 0 ? std::max(2 * most, kLeast) : 0;
}

RaplLimits RaplLimitsOf(const SystemTree& tree, const PowercapZone& zone) {
  // RAPL's registers are updated about every millisecond, not at the moment of the read.
  constexpr double kUpdateS = 0.1;
  // The counter takes max_energy_range_uj + 1 values. A range of 64 bits, or none, means that it
  // does not wrap.
  const auto range = tree.Number(zone.folder + "/max_energy_range_uj");
  const double watts = MostWattsOf(tree, zone);
  return {{.range = range && *range < UINT64_MAX ? *range + 1 : 0,
           .most_per_second = std::max(watts, kMostWatts) * 1e6,
           .update_seconds = kUpdateS},
          (watts > 0 ? watts : kMostWatts) * 1e6};
}

}  // namespace csink

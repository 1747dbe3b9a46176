#include "core/components/powercap/powercap_zones.h"

#include <algorithm>
#include <tuple>

#include "core/util/parse.h"

// File: zones are found by the names of their folders. The links between zones in sysfs are not
// followed: a subzone's name begins with that of its zone.

namespace csink {
namespace {

constexpr std::string_view kFolder = "/sys/class/powercap/";
// The kernel uses this name for AMD's processors, too.
constexpr std::string_view kPrefix = "intel-rapl:";
// Far more than machines have packages; numbers beyond it are other names.
constexpr std::uint64_t kMostZones = 1024;

// Takes a number up to the next ':' or the end. Returns false if it is none.
bool TakeNumber(std::string_view& rest, unsigned* number) {
  const Result<std::uint64_t> parsed = ParseUnsigned(NextToken(rest, ':'));
  if (!parsed || *parsed >= kMostZones) return false;
  *number = static_cast<unsigned>(*parsed);
  return true;
}

}  // namespace

std::vector<PowercapZone> FindPowercapZones(const SystemTree& tree) {
  std::vector<PowercapZone> zones;
  for (const std::string& entry : tree.Names(kFolder)) {
    if (!entry.starts_with(kPrefix)) continue;
    std::string_view rest = std::string_view(entry).substr(kPrefix.size());
    PowercapZone zone;
    unsigned subzone = 0;
    if (!TakeNumber(rest, &zone.zone)) continue;
    // A subzone, "intel-rapl:0:1". The kernel has no third level for RAPL.
    if (!rest.empty()) {
      if (!TakeNumber(rest, &subzone) || !rest.empty()) continue;
      zone.subzone = static_cast<int>(subzone);
    }
    zone.folder = std::string(kFolder) + entry;
    zone.name = tree.Line(zone.folder + "/name");
    // A zone that goes while it is looked at has no name.
    if (!zone.name.empty()) zones.push_back(std::move(zone));
  }
  std::sort(zones.begin(), zones.end(), [](const PowercapZone& a, const PowercapZone& b) {
    return std::tie(a.zone, a.subzone) < std::tie(b.zone, b.subzone);
  });
  return zones;
}

std::optional<unsigned> PackageIdOf(const PowercapZone& zone) {
  constexpr std::string_view kPackage = "package-";
  std::string_view name = zone.name;
  if (zone.subzone >= 0 || !name.starts_with(kPackage)) return std::nullopt;
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

}  // namespace csink

#include "symbolizer/report/data/energy.h"

#include <algorithm>

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// A decimal prefix of the International System of Units.
struct Prefix {
  std::string_view text;
  double scale;
};
constexpr Prefix kPrefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}};
/// Units that may have a prefix. "min" or "mm" would otherwise be split, too.
constexpr std::string_view kScaled[] = {"J", "W", "V", "A"};

/// Splits "nJ" into 1e-9 and "J". Other units are unchanged.
void SplitUnits(std::string_view units, std::string& base, double& scale) {
  base = units;
  scale = 1;
  for (const Prefix& prefix : kPrefixes) {
    if (units.substr(0, prefix.text.size()) != prefix.text) continue;
    const std::string_view rest = units.substr(prefix.text.size());
    if (std::find(std::begin(kScaled), std::end(kScaled), rest) == std::end(kScaled)) continue;
    base = rest;
    scale = prefix.scale;
  }
}

/// The component of an event's name: "rapl" of "rapl:::PACKAGE_ENERGY:PACKAGE0".
std::string_view ComponentOf(std::string_view name) { return name.substr(0, name.find(":::")); }

/// Whether the counter measures energy that depends on CPU time: of processors, or of a server.
bool FollowsCpuTime(std::string_view name) {
  const std::string_view component = ComponentOf(name);
  return component == "rapl" || component == "powercap" || component == "ipmi";
}

/// "rapl:::PACKAGE_ENERGY:PACKAGE0" -> "rapl:::PACKAGE_ENERGY:PACKAGE": the packages of a machine
/// are summed under one name.
std::string WithoutNumber(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return std::string(name);
}

}  // namespace

std::vector<DeviceReading> DeviceReadings(const Profile& profile) {
  std::vector<DeviceReading> readings;
  for (const DeviceCounter& counter : profile.device_counters) {
    DeviceReading reading;
    reading.row = &counter;
    SplitUnits(counter.units, reading.units, reading.scale);
    // Counters that accumulate (energy) have a growth, others (watts, degrees) only values over
    // time.
    const bool accumulates = (counter.flags & spool::kCounterAccumulates) != 0;
    reading.is_energy = accumulates && reading.units == "J";
    reading.seconds = Seconds(counter.covered_ns);
    reading.value = counter.value * reading.scale;
    const double ns = static_cast<double>(counter.covered_ns);
    if (accumulates) {
      // Watts, for energy.
      reading.average = ns > 0 ? reading.value / reading.seconds : 0;
    } else {
      // time_sum is the integral of the values over time, in nanoseconds.
      reading.average = ns > 0 ? counter.time_sum / ns * reading.scale : reading.value;
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

std::uint64_t UnmeasuredNs(const DeviceCounter& counter, const ProcessRow& process) {
  if (counter.host != process.host || counter.readings < 2) return 0;
  if (process.update_monotonic_ns <= counter.last_ns || counter.last_ns <= counter.first_ns) {
    return 0;
  }
  const std::uint64_t late_ns = process.update_monotonic_ns - counter.last_ns;
  // The reading at the program's end is waited for 150 ms only, and a slow device is read seldom.
  const std::uint64_t interval_ns = (counter.last_ns - counter.first_ns) / (counter.readings - 1);
  constexpr std::uint64_t kLateNs = 300'000'000;
  return late_ns > kLateNs + 3 * interval_ns ? late_ns : 0;
}

std::uint64_t LongestUnmeasuredNs(const Profile& profile, const DeviceCounter& counter) {
  std::uint64_t longest = 0;
  for (const ProcessRow& process : profile.processes) {
    // A process that began after the last reading may be of another run, which named no counter.
    if (process.BeginMonotonicNs() >= counter.last_ns) continue;
    longest = std::max(longest, UnmeasuredNs(counter, process));
  }
  return longest;
}

namespace {

/// The part of the program's CPU time in which `counter` was read. CPU time is taken as evenly
/// spread over the life of each process.
double MeasuredPart(const Profile& profile, const DeviceCounter& counter) {
  double cpu = 0, measured = 0;
  for (const ProcessRow& process : profile.processes) {
    if (process.host != counter.host) continue;
    const std::uint64_t begin_ns = process.BeginMonotonicNs();
    const std::uint64_t end_ns = process.update_monotonic_ns;
    if (end_ns <= begin_ns) continue;
    const double own = Seconds(process.user_ns + process.system_ns);
    const double life = static_cast<double>(end_ns - begin_ns);
    const double lost = std::min(life, static_cast<double>(UnmeasuredNs(counter, process)));
    cpu += own;
    measured += own * (1 - lost / life);
  }
  return cpu > 0 ? measured / cpu : 1;
}

}  // namespace

std::optional<EnergyShares> ShareEnergy(const Profile& profile, double cpu_seconds) {
  EnergyShares shares;
  double busy_seconds = 0;
  bool any = false;
  double part = 0;
  std::vector<std::pair<std::uint64_t, std::string>> machines;
  for (const DeviceReading& reading : DeviceReadings(profile)) {
    const DeviceCounter& row = *reading.row;
    if (!reading.is_energy || !FollowsCpuTime(row.name)) continue;
    const std::string name = WithoutNumber(row.name);
    if (!any) shares.counter = name;
    // The first kind of counter is used alone: the energy of cores is part of that of their
    // package, and a sum of both would count it twice.
    if (name != shares.counter) continue;
    any = true;
    shares.joules += reading.value;
    // The machine's CPU time counts once, even if there are counters for several packages.
    const std::pair machine(row.machine, row.host);
    if (std::find(machines.begin(), machines.end(), machine) == machines.end()) {
      machines.push_back(machine);
      part += MeasuredPart(profile, row);
      busy_seconds += Seconds(row.machine_busy_ns);
    }
  }
  if (!any) return std::nullopt;
  shares.measured_part = std::clamp(part / static_cast<double>(machines.size()), 0.0, 1.0);
  cpu_seconds *= shares.measured_part;
  shares.share_is_known = busy_seconds > 0;
  // The clocks of the machine and of the program are not read at the same time, so the quotient may
  // exceed 1.
  if (shares.share_is_known) shares.program_share = std::min(1.0, cpu_seconds / busy_seconds);
  shares.program_joules = shares.joules * shares.program_share;
  // Energy follows CPU time, so the samples of a clock divide it best.
  shares.event = EnergyEvent(profile);
  return shares;
}

std::size_t EnergyEvent(const Profile& profile) {
  const auto& events = profile.events;
  const auto clock = std::find_if(events.begin(), events.end(), [](const EventTotals& event) {
    return event.kind == EventClass::kClock;
  });
  return clock == events.end() ? 0 : static_cast<std::size_t>(clock - events.begin());
}

std::string Joules(double joules) {
  const double size = joules < 0 ? -joules : joules;
  if (size == 0) return "0 J";
  // Below a joule and above 10 kJ the unit changes, so that three digits remain readable.
  if (size < 1e-3) return FixedText(joules * 1e6, 0) + " uJ";
  if (size < 1) return FixedText(joules * 1e3, size < 0.01 ? 2 : size < 0.1 ? 1 : 0) + " mJ";
  if (size < 1e4) return FixedText(joules, size < 10 ? 2 : size < 100 ? 1 : 0) + " J";
  return FixedText(joules / 1e3, size < 1e5 ? 1 : 0) + " kJ";
}

}  // namespace csink::report

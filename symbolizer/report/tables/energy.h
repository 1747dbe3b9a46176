#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profil/model/profile.h"

/// File: device counters in a report: what the machine used, and which part of its energy is
/// attributed to a function by CPU time. docs/energy.md states the assumptions.

namespace csink::report {

struct Report;

/// One counter in readable units: J and W instead of nJ and mW.
struct DeviceReading {
  const DeviceCounter* row = nullptr;
  std::string units;  ///< "J", "W", "degC"; the device's own unit if it has no known prefix
  double scale = 1;   ///< Factor from the row's numbers to `units`
  bool is_energy = false;
  double seconds = 0;  ///< Time measured
  double value = 0;
  double average = 0;  ///< Mean over time; for counters that accumulate: per second
};

/// The energy that is attributed to functions.
struct EnergyShares {
  std::string counter;          ///< Names of the counters without numbers; packages are summed
  double joules = 0;            ///< Energy of the machine
  double program_joules = 0;    ///< The program's part by CPU time: joules x program_share
  double program_share = 1;     ///< CPU time of the program / CPU time of all programs, 0..1
  bool share_is_known = false;  ///< False: the whole energy is attributed to the program
  std::size_t event = 0;  ///< Column whose shares are used: CPU time if there is such an event
};

std::vector<DeviceReading> DeviceReadings(const Profile& profile);
/// nullopt: there is no energy counter of the processors or of the server. GPUs are not used: their
/// energy does not depend on CPU time.
std::optional<EnergyShares> ShareEnergy(const Profile& profile, double cpu_seconds);

/// "1.23 J", "456 uJ".
std::string Joules(double joules);

/// Lines for the header and the verdict; empty without device counters (text/energy.cpp).
std::vector<std::string> EnergyHeaderLines(const Report& report);
std::string EnergyVerdict(const Report& report);

}  // namespace csink::report

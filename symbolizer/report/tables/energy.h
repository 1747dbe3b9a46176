#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profil/model/profile.h"

/// File: counters of devices in a report: what the machine used, and how much of its energy falls
/// to a function by CPU time. docs/energy.md says what is assumed.

namespace csink::report {

struct Report;

/// One counter, in units that people use: J, W, not nJ, mW.
struct DeviceReading {
  const DeviceCounter* row = nullptr;
  std::string units;  ///< "J", "W", "degC"; as the device says it where it has no prefix
  double scale = 1;   ///< What the row's numbers are multiplied with to be in `units`
  bool is_energy = false;
  double seconds = 0;  ///< Time measured
  double value = 0;
  double average = 0;  ///< Over time; of what accumulates: per second
};

/// The energy that is shared out among functions.
struct EnergyShares {
  std::string counter;          ///< Their names without numbers: packages are summed
  double joules = 0;            ///< Of the machine
  double program_joules = 0;    ///< Of it by CPU time: joules x program_share
  double program_share = 1;     ///< CPU time of the program / of all programs, 0..1
  bool share_is_known = false;  ///< Else the whole energy is shared out
  std::size_t event = 0;        ///< The column whose shares are used: CPU time if there is one
};

std::vector<DeviceReading> DeviceReadings(const Profile& profile);
/// nullopt: no counter of the processors' or the server's energy. A GPU's energy does not follow
/// CPU time.
std::optional<EnergyShares> ShareEnergy(const Profile& profile, double cpu_seconds);

/// "1.23 J", "456 uJ".
std::string Joules(double joules);

/// Lines of the header and of the verdict; "" without counters of devices (text/energy.cpp).
std::vector<std::string> EnergyHeaderLines(const Report& report);
std::string EnergyVerdict(const Report& report);

}  // namespace csink::report

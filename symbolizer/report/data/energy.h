#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: device counters in a report: what the machine used, and which part of its energy is
/// attributed to a function by CPU time. docs/energy.md states the assumptions.

namespace csink::report {

struct Report;

/// One counter of a device in readable units: J and W instead of nJ and mW.
struct DeviceReading {
  /// Points into the profile.
  const DeviceCounter* row = nullptr;
  std::string units;  ///< "J", "W", "degC"; the device's own unit if it has no known prefix
  /// Factor from the row's numbers to `units`.
  double scale = 1;
  /// The counter accumulates joules.
  bool is_energy = false;
  /// Time in which the counter was measured, without pauses.
  double seconds = 0;
  /// What the counter grew by in this time, or its last value if it does not accumulate.
  double value = 0;
  double average = 0;  ///< Mean over time; for counters that accumulate: per second
};

/// The energy that is attributed to functions. All joules are of the measured part of the run.
struct EnergyShares {
  /// Names of the counters without numbers at their end; the counters of several packages are
  /// summed.
  std::string counter;
  /// Energy of the machine, of all programs.
  double joules = 0;
  /// The program's part by CPU time: joules x program_share.
  double program_joules = 0;
  double program_share = 1;  ///< CPU time of the program / CPU time of all programs, 0..1, both in
                             ///< the measured part
  /// The part of the program's CPU time in which the counters were read. Less than 1 where
  /// csink-meter ended or the device stopped answering before the program did.
  double measured_part = 1;
  /// False if the CPU time of all programs is not known: the whole energy is attributed to the
  /// program.
  bool share_is_known = false;
  /// Column of Profile::events whose shares are used: CPU time if there is such an event, else the
  /// first.
  std::size_t event = 0;
};

/// The profile's device counters, in its order.
std::vector<DeviceReading> DeviceReadings(const Profile& profile);
/// The time in ns by which the process outlived the counter's last reading, beyond what the time
/// between two readings explains; 0 also for a process of another host, and where it is not known.
std::uint64_t UnmeasuredNs(const DeviceCounter& counter, const ProcessRow& process);
/// The longest of these times of the processes that began before the last reading.
std::uint64_t LongestUnmeasuredNs(const Profile& profile, const DeviceCounter& counter);

/// Computes the energy to attribute. `cpu_seconds` is the program's CPU time without pauses; if the
/// counters were read in a part of it only, that part is used. Only counters of one kind are
/// summed: those with the name of the first energy counter. Returns nullopt if there is no energy
/// counter of the processors or of the server. GPUs are not used: their energy does not depend on
/// CPU time.
std::optional<EnergyShares> ShareEnergy(const Profile& profile, double cpu_seconds);

/// The column of Profile::events by whose shares energy is attributed (EnergyShares::event).
std::size_t EnergyEvent(const Profile& profile);

/// Energy in a readable unit from uJ to kJ: "1.23 J", "456 uJ".
std::string Joules(double joules);

/// Lines for the header and the verdict of a text report. Empty without device counters
/// (text/energy.cpp).
std::vector<std::string> EnergyHeaderLines(const Report& report);
std::string EnergyVerdict(const Report& report);

}  // namespace csink::report

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/atime/energy/energy_curve.h"
#include "compat/atime/energy/energy_place.h"
#include "profil/statistics/energy_bounds.h"

namespace csink::atime {

/// The energy of one event of a component, with its bounds.
struct EventEnergy {
  int event = 0;  ///< Its index in the event set
  std::string component;
  std::string name;  ///< As the reports show it
  EnergySource source;
  bool is_counter = false;    ///< A counter of energy; false: computed from readings of power
  BoundedEnergy energy;       ///< J
  double seconds = 0;         ///< From the first sample to the last one
  double update_seconds = 0;  ///< The update period that the bounds contain
};

/// Collects the energies of one component's samples. An event has an energy if the unit of its
/// value0 or value1 is Ws or J, and the sum of this value is kept (APAPI_STAT_ACC).
/// Threads: Take in the timer's thread; Energies in the timer's callback, or when the timer is done
/// or abandoned. No allocation in Take without KeepCurves.
class EnergyMeter {
 public:
  EnergyMeter() = default;
  /// Looks up the events' descriptions in PAPI. `shortest_seconds`: shorter intervals do not count
  /// for the highest power (CounterEnergy::Add).
  EnergyMeter(const apapi_eventset& set, double shortest_seconds);

  /// Adds the last sample of `set`, which is the set that the constructor got.
  void Take(const apapi_eventset& set) noexcept;
  bool has_events() const noexcept { return !accounts_.empty(); }
  /// From now on each sample is kept, for CurveOf.
  void KeepCurves() noexcept { keeps_curves_ = true; }
  /// The energy of an event over time; nullptr: it has none. Valid until the meter is changed.
  const EnergyCurve* CurveOf(int event) noexcept;
  /// One entry for each event that has an energy; empty before the second sample.
  std::vector<EventEnergy> Energies() const;

 private:
  struct Account {
    int event = 0;
    std::string component, name;
    EnergySource source;
    std::variant<CounterEnergy, PowerEnergy> energy;
    double watts_before = 0;  ///< Of a power sensor: the previous reading
    EnergyCurve curve;
  };
  /// Adds the energy so far to the account's curve.
  static void AddPoint(Account& account, long long time_ns) noexcept;

  bool keeps_curves_ = false;
  double shortest_seconds_ = 0;
  std::vector<Account> accounts_;
};

}  // namespace csink::atime

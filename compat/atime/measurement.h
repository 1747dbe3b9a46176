#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi_client/components.h"
#include "compat/apapi_client/inputs.h"
#include "compat/atime/energy/energy_meter.h"
#include "compat/atime/energy/energy_total.h"
#include "compat/atime/options.h"

namespace csink::atime {

/// Receives the samples. Threads: called in the timer thread of each component, concurrently. An
/// implementation must not keep the reference: the set is changed by the next sample.
class SampleListener {
 public:
  virtual ~SampleListener() = default;
  /// Called after each measurement of a component, with the statistics so far.
  virtual void Sampled(const apapi_eventset& set) = 0;
};

/// One measured component.
/// Owns:    its event set and its timer. Both are leaked if a thread hangs in a read of them.
/// Threads: one thread; the timer's thread calls the listener.
class MeasuredComponent {
 public:
  /// Takes the ownership of `set`. `required`: the user named the component or its events, so a
  /// failure to start ends atime.
  MeasuredComponent(apapi::Component component, apapi_eventset* set, std::uint64_t interval_ns,
                    bool required);
  MeasuredComponent(const MeasuredComponent&) = delete;
  MeasuredComponent& operator=(const MeasuredComponent&) = delete;
  ~MeasuredComponent();

  /// Creates the timer and starts the counters. Components that can be attached count process `pid`
  /// and its descendants; all others count the whole machine. `listener` may be nullptr. False,
  /// with a line on stderr: the counters do not start. May be called again after Join, for another
  /// run: all values begin anew. `pid` 0: there is no program; no counter is attached.
  bool Begin(pid_t pid, SampleListener* listener);
  /// Whether the component has an event of energy that Begin can measure for the whole machine.
  bool HasEnergy() const { return EnergyMeter(*set_, 0).has_events(); }
  /// Starts the timer after Begin succeeded.
  void Start();
  /// Waits for the first sample, from which differences are computed; at most one interval. A
  /// component that answers later is waited for no longer; its first difference then begins later.
  void AwaitFirstSample();
  void Stop();  ///< Requests the last sample; does not wait
  void Join();  ///< Waits for the last sample, about an interval at most

  const apapi::Component& component() const noexcept { return component_; }
  apapi_eventset& set() const noexcept { return *set_; }
  std::uint64_t interval_ns() const noexcept { return interval_ns_; }
  bool required() const noexcept { return required_; }
  /// The energies of the samples so far, with their bounds. Call it after Join.
  std::vector<EventEnergy> Energies() const { return energy_.Energies(); }
  /// Keeps the energies of each sample for LatestEnergies. Call it before Start.
  void KeepLatest() noexcept { keeps_latest_ = true; }
  /// Keeps all samples for CurveOf. Call it before Begin.
  void KeepCurves() noexcept { keeps_curves_ = true; }
  /// The energy of an event over the run. Call it after Join; valid until the next Begin.
  const EnergyCurve* CurveOf(int event) noexcept { return energy_.CurveOf(event); }
  /// The energies of the samples so far, while the timer runs. Threads: any.
  std::vector<EventEnergy> LatestEnergies() const;
  /// Lost samples and failed reads. Complete after Join.
  const csink_apapi_health& health() const noexcept { return health_; }

 private:
  /// The timer's callback; `self` is the MeasuredComponent.
  static void AfterSample(void** self, int last);
  /// Makes the counters count process `pid`. True also if the component counts the whole machine
  /// anyway.
  bool Follow(pid_t pid);

  apapi::Component component_;
  apapi_eventset* set_;
  std::uint64_t interval_ns_;
  bool required_;
  apapi_timer* timer_ = nullptr;
  SampleListener* listener_ = nullptr;
  std::chrono::steady_clock::time_point started_;
  std::binary_semaphore sampled_{0};
  bool follows_ = false;  ///< The set is attached to a process
  long long taken_ = 0;   ///< The set's count at the last callback
  EnergyMeter energy_;
  bool keeps_latest_ = false, keeps_curves_ = false;
  mutable std::mutex latest_mutex_;  // protects latest_
  std::vector<EventEnergy> latest_;
  csink_apapi_health health_ = {};
};

/// All measured components, in PAPI's order. The functions are called in this order, by one thread.
class Measurement {
 public:
  /// Chooses the components and makes their event sets. False, with a line on stderr: something
  /// that the user asked for by name cannot be measured.
  bool Prepare(const Options& options);
  /// Begins all components. A component that does not start is dropped with a line on stderr.
  /// False: the component was required, and no run was measured before. May be called again after
  /// Stop, for another run.
  bool Begin(pid_t pid, SampleListener* listener);
  /// Starts all timers. On return every component that answers within its interval has its first
  /// sample.
  void Start();
  /// Measures the components that have energies for `ns`, before any run. Returns early when
  /// `is_asked_to_end()` is true. nullopt: no energy that belongs into a total was measured.
  std::optional<EnergyTotal> MeasureIdle(std::uint64_t ns,
                                         const std::function<bool()>& is_asked_to_end);
  /// Requests the last sample of all components, then waits for all of them.
  void Stop();

  const std::vector<std::unique_ptr<MeasuredComponent>>& components() const noexcept {
    return components_;
  }
  /// The energies of all components. Call it after Stop.
  std::vector<EventEnergy> Energies() const;
  /// The energies so far, while the timers run; empty unless Options::live or a job was given.
  std::vector<EventEnergy> LatestEnergies() const;

 private:
  bool has_run_ = false;
  apapi::Inputs inputs_;  // the event sets point into it
  std::vector<std::unique_ptr<MeasuredComponent>> components_;
};

}  // namespace csink::atime

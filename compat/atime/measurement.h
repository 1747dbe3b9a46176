#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/include/apapi_csink.h"
#include "compat/apapi_client/components.h"
#include "compat/apapi_client/inputs.h"
#include "compat/atime/options.h"

namespace csink::atime {

/// Called after each sample, in the thread of the component's timer.
class SampleListener {
 public:
  virtual ~SampleListener() = default;
  virtual void Sampled(const apapi_eventset& set) = 0;
};

/// One component, its event set and its timer.
/// Owns:    both; what a thread hangs in is left behind.
class MeasuredComponent {
 public:
  /// `required`: the user named it or its events, so that it must start.
  MeasuredComponent(apapi::Component component, apapi_eventset* set, std::uint64_t interval_ns,
                    bool required);
  MeasuredComponent(const MeasuredComponent&) = delete;
  MeasuredComponent& operator=(const MeasuredComponent&) = delete;
  ~MeasuredComponent();

  /// Counters that can, count process `pid` and what it starts; all others the machine. False, with
  /// a line on stderr: they do not start.
  bool Begin(pid_t pid, SampleListener* listener);
  void Start();
  /// Waits until the first sample was taken, from which differences count; an interval at most.
  void AwaitFirstSample();
  void Stop();  ///< Asks for the last sample; does not wait
  void Join();  ///< Waits for it, an interval at most

  const apapi::Component& component() const noexcept { return component_; }
  apapi_eventset& set() const noexcept { return *set_; }
  std::uint64_t interval_ns() const noexcept { return interval_ns_; }
  bool required() const noexcept { return required_; }
  /// What went wrong while measuring; complete after Join.
  const csink_apapi_health& health() const noexcept { return health_; }

 private:
  static void AfterSample(void** self, int last);
  bool Follow(pid_t pid) const;

  apapi::Component component_;
  apapi_eventset* set_;
  std::uint64_t interval_ns_;
  bool required_;
  apapi_timer* timer_ = nullptr;
  SampleListener* listener_ = nullptr;
  std::chrono::steady_clock::time_point started_;
  std::binary_semaphore sampled_{0};
  csink_apapi_health health_ = {};
};

/// All components that are measured.
class Measurement {
 public:
  /// Chooses components and makes their event sets. False, with a line on stderr: what was asked
  /// for cannot be measured.
  bool Prepare(const Options& options);
  /// False, with a line on stderr: a component that is required does not start. Others that do not
  /// are left out, with a line.
  bool Begin(pid_t pid, SampleListener* listener);
  /// Every component has taken its first sample then, but those that do not answer.
  void Start();
  /// The last samples of all, then their ends; none waits for another.
  void Stop();

  const std::vector<std::unique_ptr<MeasuredComponent>>& components() const noexcept {
    return components_;
  }

 private:
  apapi::Inputs inputs_;  // the event sets point into it
  std::vector<std::unique_ptr<MeasuredComponent>> components_;
};

}  // namespace csink::atime

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <semaphore>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/ms_common/field_rules.h"

namespace csink::ms {

inline constexpr std::uint64_t kDefaultIntervalNs = 100'000'000;

/// One resource of libmeasure, measured by one timer of libapapi.
/// Owns:    the event set and the timer. Both are left behind when a thread hangs in a read of
/// them. Threads: the caller's; fields of the measurement are written by the timer's thread.
class Resource {
 public:
  Resource(const ResourceRules& rules, apapi_eventset* set);
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  ~Resource();

  int id() const noexcept { return rules_.resource; }

  /// A timer for this structure, whose interval was set by ms_set_timer; the counters start. What
  /// an earlier one measured is not touched any more. False: a timer or the counters did not start.
  bool Prepare(void* measurement);
  void Start();
  /// Waits until the first sample was taken, from which differences count; an interval at most.
  void AwaitFirstSample();
  /// Asks for the last sample; does not wait.
  void Stop();
  /// Waits for it (an interval at most) and fills the rest of the fields.
  void Join();

 private:
  static void AfterSample(void** self, int last);
  void Finish() noexcept;
  void DropTimer();

  const ResourceRules& rules_;
  apapi_eventset* set_;
  apapi_timer* timer_ = nullptr;
  std::vector<BoundRule> bound_;
  char* measurement_ = nullptr;
  std::chrono::steady_clock::time_point started_;
  std::chrono::nanoseconds interval_{0};
  std::binary_semaphore sampled_{0};
  std::atomic<bool> finished_ = false;
  bool abandoned_ = false;
};

/// What ms_set_timer does to a structure.
void SetInterval(const ResourceRules& rules, void* measurement, std::uint64_t interval_ns,
                 std::uint32_t check_for_exit);
/// The interval that was set: by ms_set_timer, or by a client that wrote the fields itself.
std::uint64_t IntervalOf(const ResourceRules& rules, const void* measurement);

}  // namespace csink::ms

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <semaphore>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/ms_common/field_rules.h"

namespace csink::ms {

/// The interval of a structure for which ms_set_timer was not called: 100 ms.
inline constexpr std::uint64_t kDefaultIntervalNs = 100'000'000;

/// One resource of libmeasure, measured by one timer of libapapi. Order: Prepare, Start,
/// AwaitFirstSample, Stop, Join; again from Prepare. Calls out of order do nothing.
/// Owns:    the event set and the timer. Both are leaked if a thread hangs in a read of them.
/// Threads: one caller; the timer's thread writes the fields of the measurement.
class Resource {
 public:
  /// Takes the ownership of `set`; `rules` must outlive this object.
  Resource(const ResourceRules& rules, apapi_eventset* set);
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  ~Resource();

  /// CPU, GPU, FPGA, SYSTEM or MIC.
  int id() const noexcept { return rules_.resource; }

  /// Makes a timer that fills the structure `measurement` at the interval of ms_set_timer, and
  /// starts the counters. The structure of an earlier call is no longer written. False: the timer
  /// or the counters did not start, or an earlier read hangs.
  bool Prepare(void* measurement);
  /// Starts the timer, if Prepare succeeded.
  void Start();
  /// Waits for the first sample, from which differences are computed; at most one interval.
  void AwaitFirstSample();
  /// Requests the last sample; does not wait.
  void Stop();
  /// Waits for the last sample (about an interval at most) and fills the remaining fields.
  void Join();

 private:
  /// The timer's callback; `self` is the Resource.
  static void AfterSample(void** self, int last);
  /// Fills the fields that are complete at the end, once.
  void Finish() noexcept;
  /// Ends and frees the timer, or leaks it if its thread hangs.
  void DropTimer();

  const ResourceRules& rules_;
  apapi_eventset* set_;
  apapi_timer* timer_ = nullptr;
  std::vector<BoundRule> bound_;
  char* measurement_ = nullptr;
  std::chrono::steady_clock::time_point started_;
  std::chrono::nanoseconds interval_{0};
  std::binary_semaphore sampled_{0};
  bool has_sample_ = false;             ///< sampled_ was released since Prepare
  std::atomic<bool> finished_ = false;  ///< Finish was called since Prepare
  bool abandoned_ = false;              ///< A thread hangs in a read of set_
};

/// Stores an interval (ns) in a structure, as ms_set_timer does: divided by `check_for_exit` in
/// *_time_wait, and undivided in the private part.
void SetInterval(const ResourceRules& rules, void* measurement, std::uint64_t interval_ns,
                 std::uint32_t check_for_exit);
/// The interval of a structure in ns, set by ms_set_timer or by a client that wrote the fields
/// itself; kDefaultIntervalNs if none was set.
std::uint64_t IntervalOf(const ResourceRules& rules, const void* measurement);

}  // namespace csink::ms

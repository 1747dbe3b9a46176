#include "compat/ms_common/resource.h"

#include <ctime>
#include <utility>

#include "compat/apapi/include/apapi_csink.h"

/// File: one measured resource. The structure that the program reads is written by the timer's
/// thread: after each sample the fields *_cur, after the last one the results. Where no last sample
/// comes, Join writes the results of the samples before.

namespace csink::ms {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// A field of one of five structures, of which only the offset is known here (ResourceRules).
template <class Value>
Value& FieldAt(void* measurement, std::size_t offset) {
  return *reinterpret_cast<Value*>(static_cast<char*>(measurement) + offset);
}

template <class Value>
const Value& FieldAt(const void* measurement, std::size_t offset) {
  return *reinterpret_cast<const Value*>(static_cast<const char*>(measurement) + offset);
}

}  // namespace

void SetInterval(const ResourceRules& rules, void* measurement, std::uint64_t interval_ns,
                 std::uint32_t check_for_exit) {
  // libmeasure looked for the end so many times an interval. Here samples keep the whole interval:
  // the count divides only what programs see in *_time_wait.
  const std::uint32_t checks = check_for_exit < 1 ? 1 : check_for_exit;
  const std::uint64_t wait = interval_ns / checks;
  // Offset 0: the first element of the private array `internal`.
  FieldAt<std::uint64_t>(measurement, 0) = interval_ns;
  FieldAt<timespec>(measurement, rules.time_wait) = {static_cast<time_t>(wait / kSecond),
                                                     static_cast<long>(wait % kSecond)};
  FieldAt<std::uint32_t>(measurement, rules.check_for_exit) = checks;
}

std::uint64_t IntervalOf(const ResourceRules& rules, const void* measurement) {
  const auto& wait = FieldAt<timespec>(measurement, rules.time_wait);
  const auto checks = FieldAt<std::uint32_t>(measurement, rules.check_for_exit);
  // The marks of a structure that was never set (list.cpp).
  if (wait.tv_sec < 0 || wait.tv_nsec < 0 || checks == 0) return kDefaultIntervalNs;
  // What the public fields say. The private field is used only if it agrees: a program may have
  // changed the public ones since ms_set_timer.
  const std::uint64_t whole = (static_cast<std::uint64_t>(wait.tv_sec) * kSecond +
                               static_cast<std::uint64_t>(wait.tv_nsec)) *
                              checks;
  const auto set = FieldAt<std::uint64_t>(measurement, 0);
  // The exact interval, without the rounding of the division.
  if (set >= whole && set - whole < checks && set != 0) return set;
  return whole == 0 ? kDefaultIntervalNs : whole;
}

Resource::Resource(const ResourceRules& rules, apapi_eventset* set)
    : rules_(rules), set_(set), bound_(Bind(rules, set)) {}

Resource::~Resource() {
  DropTimer();
  // A thread that hangs in a read still uses the set.
  if (!abandoned_) APAPI_destroy_apapi_eventset(&set_);
}

// A timer that still runs is stopped and waited for. One whose thread hangs must not be freed.
void Resource::DropTimer() {
  if (!timer_) return;
  if (timer_->state == APAPI_TIMER_STATE_STARTED) {
    APAPI_callstop_timer(timer_);
    Join();
  }
  if (!abandoned_) APAPI_destroy_timer(&timer_);
  timer_ = nullptr;
}

bool Resource::Prepare(void* measurement) {
  DropTimer();
  if (abandoned_) return false;
  measurement_ = static_cast<char*>(measurement);
  finished_ = false;
  const std::uint64_t interval = IntervalOf(rules_, measurement);
  interval_ = std::chrono::nanoseconds(interval);
  (void)sampled_.try_acquire();  // a first sample that an earlier measurement did not wait for
  has_sample_ = false;
  if (APAPI_create_timer(&timer_, static_cast<time_t>(interval / kSecond),
                         static_cast<long>(interval % kSecond), AfterSample,
                         reinterpret_cast<void**>(this), set_) != PAPI_OK) {
    timer_ = nullptr;
    return false;
  }
  if (APAPI_initstart_timer(timer_) == PAPI_OK) return true;
  // The events did not start (libapapi has said why); the resource shows zeros.
  APAPI_destroy_timer(&timer_);
  return false;
}

void Resource::Start() {
  if (!timer_ || timer_->state != APAPI_TIMER_STATE_READY) return;
  started_ = std::chrono::steady_clock::now();
  APAPI_start_timer(timer_);
}

void Resource::AwaitFirstSample() {
  if (!timer_ || timer_->state != APAPI_TIMER_STATE_STARTED) return;
  // A device that does not answer delays the program's start by one interval at most.
  (void)sampled_.try_acquire_until(started_ + interval_);
}

void Resource::Stop() {
  if (timer_ && timer_->state == APAPI_TIMER_STATE_STARTED) APAPI_callstop_timer(timer_);
}

void Resource::Join() {
  if (!timer_ || timer_->state != APAPI_TIMER_STATE_STARTED) return;
  APAPI_join_timer(timer_);
  // A thread that hangs is known only after the join.
  csink_apapi_health health = {};
  abandoned_ = csink_apapi_get_health(timer_, &health) == PAPI_OK && health.abandoned != 0;
  Finish();  // fills the fields if no last sample came
}

void Resource::AfterSample(void** self, int last) {
  auto* resource = reinterpret_cast<Resource*>(self);
  // Counts from 1: the sample that Measured has just added is the first. A reading that fails
  // leaves the count, and a binary semaphore must not be released twice.
  if (resource->set_->count == 1 && !std::exchange(resource->has_sample_, true)) {
    resource->sampled_.release();
  }
  if (last) {
    resource->Finish();
  } else {
    Fill(resource->bound_, resource->set_, /*each_sample_only=*/true, resource->measurement_);
  }
}

void Resource::Finish() noexcept {
  // Called by the timer's last sample and by Join; the first call fills the fields.
  if (finished_.exchange(true)) return;
  Fill(bound_, set_, /*each_sample_only=*/false, measurement_);
  // From the first to the last sample, since the statistics cover that time.
  const auto measured_ns = static_cast<double>(set_->current_time - set_->first_time);
  FieldAt<double>(measurement_, rules_.runtime) = measured_ns / 1e9;
}

}  // namespace csink::ms

#include <papi.h>

#include <utility>

#include "compat/apapi_client/message.h"
#include "compat/atime/measurement.h"

/// File: one component of atime: an event set and a timer of libapapi. The first sample is
/// announced to the main thread by a semaphore, since the program must not start before it.

namespace csink::atime {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

}  // namespace

MeasuredComponent::MeasuredComponent(apapi::Component component, apapi_eventset* set,
                                     std::uint64_t interval_ns, bool required)
    : component_(std::move(component)), set_(set), interval_ns_(interval_ns), required_(required) {}

MeasuredComponent::~MeasuredComponent() {
  // A thread that hangs in a read still uses the timer and the set.
  if (health_.abandoned) return;
  if (timer_) APAPI_destroy_timer(&timer_);
  APAPI_destroy_apapi_eventset(&set_);
}

bool MeasuredComponent::Follow(pid_t pid) {
  if (pid == 0) return true;  // Measurement::Prepare left out what would have to follow
  // Before APAPI_initstart_timer, which starts the counters.
  const int code = csink_apapi_follow(set_, pid);
  follows_ = code == PAPI_OK;
  // PAPI_ECMP: the component measures the whole machine, which is what is wanted of it.
  if (code == PAPI_OK || code == PAPI_ECMP) return true;
  apapi::Say(kWho, "the counters of component " + component_.name +
                       " cannot follow the program: " + PAPI_strerror(code));
  return false;
}

bool MeasuredComponent::Begin(pid_t pid, SampleListener* listener) {
  if (health_.abandoned) return false;  // a thread hangs in the device
  listener_ = listener;
  if (timer_) APAPI_destroy_timer(&timer_);
  // The process of the run before does not exist any more.
  if (follows_) PAPI_detach(set_->EventSet);
  follows_ = false;
  if (!Follow(pid)) return false;
  taken_ = 0;
  // The first sample of an earlier run may have come after AwaitFirstSample gave up.
  (void)sampled_.try_acquire();
  health_ = {};
  latest_.clear();
  // As for minimum and maximum: the last, partial interval says little about the power.
  energy_ = EnergyMeter(*set_, static_cast<double>(interval_ns_) / 2e9);
  if (keeps_curves_) energy_.KeepCurves();
  const int made = APAPI_create_timer(&timer_, static_cast<time_t>(interval_ns_ / kSecond),
                                      static_cast<long>(interval_ns_ % kSecond), AfterSample,
                                      reinterpret_cast<void**>(this), set_);
  if (made != PAPI_OK) timer_ = nullptr;
  if (made == PAPI_OK && APAPI_initstart_timer(timer_) == PAPI_OK) return true;
  apapi::Say(kWho, "the counters of component " + component_.name + " cannot be started");
  return false;
}

void MeasuredComponent::Start() {
  started_ = std::chrono::steady_clock::now();
  APAPI_start_timer(timer_);
}

void MeasuredComponent::AwaitFirstSample() {
  // Without the sample atime goes on: a device that hangs must not keep the program from starting.
  (void)sampled_.try_acquire_until(started_ + std::chrono::nanoseconds(interval_ns_));
}

void MeasuredComponent::Stop() { APAPI_callstop_timer(timer_); }

void MeasuredComponent::Join() {
  APAPI_join_timer(timer_);
  // After the join, when the counts are complete; the destructor needs `abandoned`.
  csink_apapi_get_health(timer_, &health_);
}

std::vector<EventEnergy> MeasuredComponent::LatestEnergies() const {
  const std::lock_guard lock(latest_mutex_);
  return latest_;
}

void MeasuredComponent::AfterSample(void** self, int) {
  auto* component = reinterpret_cast<MeasuredComponent*>(self);
  // The last call is made after a failed read, too; its sample is the one before.
  if (component->set_->count == component->taken_) return;
  component->taken_ = component->set_->count;
  // Once a run: a second release would exceed the maximum of a binary semaphore.
  if (component->set_->count == 1) component->sampled_.release();
  component->energy_.Take(*component->set_);
  if (component->keeps_latest_) {
    // The allocation is done outside of the lock, and the old values are freed outside of it, too.
    std::vector<EventEnergy> energies = component->energy_.Energies();
    const std::lock_guard lock(component->latest_mutex_);
    component->latest_.swap(energies);
  }
  if (component->listener_) component->listener_->Sampled(*component->set_);
}

}  // namespace csink::atime

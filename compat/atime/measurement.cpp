#include "compat/atime/measurement.h"

#include <papi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

#include "compat/apapi_client/message.h"
#include "compat/apapi_client/separate_devices.h"

/// File: which components atime measures. What the user named (APAPI_CMPLIST, APAPI_EVENTLIST) must
/// be measurable before the program starts; of the default list whatever the machine has is
/// measured.

namespace csink::atime {
namespace {

/// The interval of a component: the first of the options that names it (name or short name), else
/// the default.
std::uint64_t IntervalOf(const Options& options, const apapi::Component& component) {
  for (const Interval& interval : options.intervals) {
    // libapapi decides what a name means, so that short names work as in APAPI_CMPLIST.
    if (csink_apapi_find_component(interval.component.c_str()) == component.index) {
      return interval.ns;
    }
  }
  return options.default_interval_ns;
}

/// Whether the component counts processes and not the machine.
bool Attaches(const apapi::Component& component) {
  const PAPI_component_info_t* info = PAPI_get_component_info(component.index);
  return info && info->attach;
}

/// Reports intervals of components that are named twice or not measured.
void SayUnusedIntervals(const Options& options, const apapi::Choice& choice) {
  // By index and not by name: a component has a name and a short name.
  std::set<int> named;
  for (const Interval& interval : options.intervals) {
    const int index = csink_apapi_find_component(interval.component.c_str());
    if (index >= 0 && !named.insert(index).second) {
      apapi::Say(kWho, "-t: component '" + interval.component +
                           "' is given twice; the first interval is used");
      continue;
    }
    bool used = false;
    for (const apapi::Component& component : choice.components) used |= component.index == index;
    if (!used) {
      apapi::Say(kWho, "-t: component '" + interval.component + "' is not measured");
    }
  }
}

}  // namespace

bool Measurement::Prepare(const Options& options) {
  // Until the event sets are made: vendors' libraries are opened by then.
  const apapi::SeparateDevices separate;
  if (APAPI_init() != PAPI_VER_CURRENT) {
    apapi::Say(kWho, "libapapi cannot be initialized; APAPI_VERBOSE=1 shows more");
    return false;
  }
  const auto choice = apapi::ChooseComponents(kWho, {});
  if (!choice || !inputs_.Read(kWho, choice->components)) return false;
  SayUnusedIntervals(options, *choice);
  const bool soft = apapi::IsOn("APAPI_SOFTFAIL");
  // Upstream's words: an empty list is an error, not a run without measurement.
  if (choice->named && choice->components.empty() && !soft) {
    apapi::Say(kWho, "No component active: APAPI_CMPLIST is empty");
    return false;
  }
  for (const apapi::Component& component : choice->components) {
    // Attached to a process that runs already, a component counts one thread of it, without the
    // other threads and the children that exist: no value of the job.
    if (!options.program && Attaches(component)) {
      apapi::Say(kWho, "component " + component.name +
                           " counts a program that atime starts; it cannot count a job that runs");
      if (!soft) return false;
      continue;
    }
    apapi_eventset* set = apapi::MakeEventSet(kWho, component, inputs_);
    // What the user named must be measurable; a component of the default list may fail.
    const bool required = !soft && (choice->named || inputs_.EventsOf(component));
    if (!set && required) return false;
    if (!set) continue;
    components_.push_back(std::make_unique<MeasuredComponent>(
        component, set, IntervalOf(options, component), required));
    if (options.live || options.has_job()) components_.back()->KeepLatest();
    if (options.phases) components_.back()->KeepCurves();
  }
  return true;
}

bool Measurement::Begin(pid_t pid, SampleListener* listener) {
  for (auto at = components_.begin(); at != components_.end();) {
    if ((*at)->Begin(pid, listener)) {
      ++at;
      continue;
    }
    // The components that have begun are ended by their destructors.
    // After a first run the results are kept, and the component alone is left out.
    if ((*at)->required() && !has_run_) return false;
    apapi::Say(kWho, "component " + (*at)->component().name + " is not measured");
    at = components_.erase(at);
  }
  has_run_ = true;
  return true;
}

std::optional<EnergyTotal> Measurement::MeasureIdle(std::uint64_t ns,
                                                    const std::function<bool()>& is_asked_to_end) {
  using Clock = std::chrono::steady_clock;
  // Components without energies are left alone: an idle time says nothing about them.
  std::vector<MeasuredComponent*> measured;
  for (const auto& component : components_) {
    // What does not start is said here and, if it fails again, in Begin, which decides.
    if (component->HasEnergy() && component->Begin(getpid(), nullptr)) {
      measured.push_back(component.get());
    }
  }
  for (MeasuredComponent* component : measured) component->Start();
  for (MeasuredComponent* component : measured) component->AwaitFirstSample();
  const auto began = Clock::now();
  const auto until = began + std::chrono::nanoseconds(ns);
  // Signals are blocked and end no wait, so they are polled.
  constexpr std::chrono::milliseconds kLook{20};
  while (Clock::now() < until && !is_asked_to_end()) {
    std::this_thread::sleep_for(std::min<Clock::duration>(kLook, until - Clock::now()));
  }
  // By the clock and not `ns`: a signal may have ended the time early.
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  for (MeasuredComponent* component : measured) component->Stop();
  std::vector<EventEnergy> energies;
  for (MeasuredComponent* component : measured) {
    component->Join();
    for (EventEnergy& energy : component->Energies()) energies.push_back(std::move(energy));
  }
  return TotalOf(energies, seconds);
}

std::vector<EventEnergy> Measurement::LatestEnergies() const {
  std::vector<EventEnergy> all;
  for (const auto& component : components_) {
    for (EventEnergy& energy : component->LatestEnergies()) all.push_back(std::move(energy));
  }
  return all;
}

std::vector<EventEnergy> Measurement::Energies() const {
  std::vector<EventEnergy> all;
  for (const auto& component : components_) {
    for (EventEnergy& energy : component->Energies()) all.push_back(std::move(energy));
  }
  return all;
}

void Measurement::Start() {
  // All timers start before any is waited for, so the waiting times overlap.
  for (const auto& component : components_) component->Start();
  for (const auto& component : components_) component->AwaitFirstSample();
}

void Measurement::Stop() {
  // All are asked before any is waited for, so that a slow component does not delay the last sample
  // of the others.
  for (const auto& component : components_) component->Stop();
  for (const auto& component : components_) component->Join();
}

}  // namespace csink::atime

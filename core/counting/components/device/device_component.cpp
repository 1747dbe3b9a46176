#include <sys/utsname.h>

#include <atomic>
#include <string>
#include <unordered_map>

#include "core/counting/components/device/device_counter_set.h"
#include "core/counting/components/device/device_reader.h"
#include "core/counting/components/device/device_source.h"
#include "core/machine/clocks.h"
#include "core/util/futex_lock.h"
#include "core/util/nearest.h"
#include "core/util/thread_id.h"
#include "core/version/number.h"

// File: DeviceComponent answers PAPI's questions about a source: names, numbers, descriptions. The
// devices are opened by the first question, through DeviceReader, which all sets of the component
// share. An event's number is its place in the source's list + 1.

namespace csink {
namespace {

// Separates the component from the event in a name: "rapl:::PACKAGE_ENERGY:PACKAGE0".
constexpr std::string_view kPrefixEnd = ":::";

class DeviceComponent final : public Component {
 public:
  // Opens nothing.
  DeviceComponent(const DeviceComponentName& name, std::unique_ptr<DeviceSource> source,
                  DeviceClock clock)
      : name_(name.name), reader_(std::make_shared<DeviceReader>(name_, std::move(source), clock)) {
    info_.name = info_.short_name = name_;
    info_.description = name.description;
    info_.version = CSINK_VERSION;
    // A device counts for all privilege levels: none can be excluded, so any may be asked for.
    info_.available_domain = {true, true, true};
    busy_ = info_;
    busy_.disabled = true;
    busy_.disabled_reason = "another thread is still opening the devices; try again";
  }

  // While another thread opens the devices, which may take seconds, a second info says so: the real
  // one is not complete yet.
  const ComponentInfo& Info() override {
    (void)Opened();
    return described_.load(std::memory_order_acquire) ? info_ : busy_;
  }
  std::string_view name() const noexcept override { return name_; }
  bool needs_prefix() const noexcept override { return true; }

  Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) override;
  bool Describe(std::uint32_t event, ComponentEvent& out) override;
  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override;
  Result<void> CanCount(std::uint32_t event) override;
  std::unique_ptr<CounterSet> MakeCounterSet() override {
    return std::make_unique<DeviceCounterSet>(reader_);
  }
  void ForgetAfterFork() noexcept override {
    describing_.ResetAfterFork();
    reader_->ForgetAfterFork();
  }

 private:
  // Opens the devices at the first call; describes them once.
  Result<void> Opened();
  void DescribeOnce(const Result<void>& opened);
  // The event with this number; nullptr: none, or a hidden one.
  const DeviceEvent* EventOf(std::uint32_t number) const;
  // The number of the event with this name or alias; 0: there is none.
  std::uint32_t Named(std::string_view name) const;

  const std::string name_;
  const std::shared_ptr<DeviceReader> reader_;
  // info_ is constant once described_ is true. busy_ is the answer before that.
  ComponentInfo info_, busy_;
  std::atomic<bool> described_{false};
  FutexLock describing_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  ///< By name and alias
};

// reader_->opened() is false where Open gave up waiting for another thread: nothing is described
// then, and a later call tries again.
Result<void> DeviceComponent::Opened() {
  Result<void> opened = reader_->Open();
  if (!described_.load(std::memory_order_acquire) && reader_->opened()) {
    const FutexHolding held(describing_, AskTid());
    // Not held: a signal handler interrupted this thread in here.
    if (held.held() && !described_.load(std::memory_order_relaxed)) DescribeOnce(opened);
  }
  return opened;
}

// Called once, under `describing_`.
void DeviceComponent::DescribeOnce(const Result<void>& opened) {
  utsname system = {};
  if (uname(&system) == 0) info_.kernel_version = system.release;
  if (opened) {
    const auto& events = reader_->events();
    for (std::uint32_t place = 0; place < events.size(); ++place) {
      if (events[place].hidden) continue;
      ++info_.native_events;
      // The keys point into the source's events, which are constant after Open.
      // emplace keeps the first of two equal names, so that the numbers of earlier events stay.
      numbers_.emplace(events[place].name, place + 1);
    }
    // After all names, so that an alias never hides a name.
    for (std::uint32_t place = 0; place < events.size(); ++place) {
      for (const std::string& alias : events[place].aliases) numbers_.emplace(alias, place + 1);
    }
    info_.support_version = reader_->source().support_version();
    info_.hardware_reason = reader_->source().missing();
    if (!info_.hardware_reason.empty()) {
      // Listings show the description, and of working components nothing else of Info.
      info_.description += "; " + info_.hardware_reason.substr(0, info_.hardware_reason.find(':'));
    }
    // A source may open and have nothing to report.
    if (info_.native_events == 0) {
      info_.disabled = true;
      info_.disabled_reason = info_.hardware_reason;
      if (info_.disabled_reason.empty()) info_.disabled_reason = "the devices provide no readings";
    }
  } else {
    info_.disabled = true;
    info_.disabled_reason =
        reader_->reason().empty() ? std::string(opened.error().what) : reader_->reason();
  }
  info_.counters = info_.multiplexed_counters = info_.native_events;
  described_.store(true, std::memory_order_release);
}

const DeviceEvent* DeviceComponent::EventOf(std::uint32_t number) const {
  const auto& events = reader_->events();
  if (number == 0 || number > events.size() || events[number - 1].hidden) return nullptr;
  return &events[number - 1];
}

std::uint32_t DeviceComponent::Named(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

Result<std::uint32_t> DeviceComponent::Find(std::string_view name, EventComplaint& complaint) {
  complaint.Clear();
  // With or without the component's prefix: the caller may have removed it.
  if (name.size() > name_.size() + kPrefixEnd.size() && name.substr(0, name_.size()) == name_ &&
      name.substr(name_.size(), kPrefixEnd.size()) == kPrefixEnd) {
    name.remove_prefix(name_.size() + kPrefixEnd.size());
  }
  const ComponentInfo& info = Info();
  if (info.disabled) {
    complaint.Add(name_).Add(" is disabled: ").Add(info.disabled_reason);
    return Error{Errc::kNoEvent, 0, "the component is disabled"};
  }
  if (const std::uint32_t number = Named(name)) return number;
  complaint.Add(name_).Add(" has no event ").Add(name);
  NearestNames<2> nearest(name);
  for (const DeviceEvent& event : reader_->events()) {
    if (!event.hidden) nearest.Offer(event.name);
  }
  for (std::size_t i = 0; i < nearest.count(); ++i) {
    complaint.Add(i == 0 ? "; did you mean " : " or ").Add(nearest[i]);
  }
  if (nearest.count() != 0) complaint.Add("?");
  // The event may be one that a missing permission hides.
  if (!info.hardware_reason.empty()) complaint.Add(" (").Add(info.hardware_reason).Add(")");
  return Error{Errc::kNoEvent, 0, "the component has no such event"};
}

// The component's prefix is part of the canonical name, because needs_prefix is true.
bool DeviceComponent::Describe(std::uint32_t event, ComponentEvent& out) {
  if (!Opened()) return false;
  const DeviceEvent* from = EventOf(event);
  if (from == nullptr) return false;
  out = {};
  out.name.append(name_).append(kPrefixEnd).append(from->name);
  out.short_description = out.long_description = from->description;
  out.units = from->units;
  out.pmu = name_;
  out.value_type = from->value_type;
  out.accumulates = from->accumulates;
  out.scope = from->scope;
  return true;
}

Result<std::uint32_t> DeviceComponent::Enumerate(EnumerateStep step, std::uint32_t from) {
  if (const Result<void> opened = Opened(); !opened) return opened.error();
  if (step == EnumerateStep::kFirst) from = 0;
  const bool listed = step == EnumerateStep::kFirst || step == EnumerateStep::kNext;
  const auto& events = reader_->events();
  // `from` is a number, place + 1, and so the place behind that event.
  for (std::size_t place = from; listed && place < events.size(); ++place) {
    if (!events[place].hidden) return static_cast<std::uint32_t>(place + 1);
  }
  return Error{Errc::kNoEvent, 0,
               listed ? "there are no more events" : "events have no unit masks"};
}

// Reads the event once: a device may list values that it does not return.
Result<void> DeviceComponent::CanCount(std::uint32_t event) {
  DeviceCounterSet set(reader_);
  const CounterRequest request{event, {}};
  if (const Result<void> made = set.Configure({&request, 1}, {}); !made) return made;
  if (const Result<void> started = set.Start(); !started) return started;
  return set.Stop();
}

}  // namespace

std::unique_ptr<Component> MakeDeviceComponent(const DeviceComponentName& name,
                                               std::unique_ptr<DeviceSource> source,
                                               DeviceClock clock) {
  return std::make_unique<DeviceComponent>(name, std::move(source), clock ? clock : MonotonicNs);
}

}  // namespace csink

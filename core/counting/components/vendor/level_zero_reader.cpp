#include "core/counting/components/vendor/level_zero_reader.h"

#include <errno.h>

#include <algorithm>
#include <string>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/level_zero_library.h"
#include "core/counting/components/vendor/separate_source.h"

// File: an event is a power domain of a device. Handles are valid in the process that has called
// zesInit, so a forked child lists the domains again.

namespace csink {
namespace {

using level_zero::Answer;
using level_zero::Handle;

// A limit for nonsense from the library.
constexpr std::uint32_t kMostEntries = 256;
// More than any board draws.
constexpr double kMostMicrowatts = 20e9;

Error ErrorOf(Answer answer) noexcept {
  switch (answer) {
    case level_zero::kUnsupported:
      return {Errc::kNoEvent, ENOTSUP, "the GPU no longer provides this reading"};
    case level_zero::kNoPermission:
      return {Errc::kPermission, EACCES, "Level Zero does not permit this user to read the energy"};
    case level_zero::kDeviceLost:
      return {Errc::kSystem, ENODEV, "the GPU is lost: it was removed, reset or hangs"};
    default:
      return {Errc::kSystem, EIO, "Level Zero cannot read the GPU (see xpu-smi)"};
  }
}

std::string WhyNoStart(Answer answer) {
  switch (answer) {
    case level_zero::kUninitialized:
      return "Level Zero finds no driver with sysman (Debian's package libze-intel-gpu1 or "
             "intel-level-zero-gpu)";
    case level_zero::kNoDriver:
      return "the library on which Level Zero's sysman depends is missing";
    case level_zero::kNoPermission:
      return "no permission for Intel's GPUs: this user needs /dev/dri/renderD128 (on most systems "
             "by the group render)";
    default:
      return "Level Zero cannot be initialized: error " + std::to_string(answer);
  }
}

// A list of handles by a function that is asked twice.
template <class Get>
Answer List(VendorSteps& steps, std::vector<Handle>& handles, Get get) {
  std::uint32_t count = 0;
  Answer answer = get(&count, nullptr);
  steps.Step();
  handles.assign(std::min(count, kMostEntries), nullptr);
  if (answer || handles.empty()) return handles.clear(), answer;
  count = static_cast<std::uint32_t>(handles.size());
  answer = get(&count, handles.data());
  steps.Step();
  // Less than announced: a device went meanwhile.
  handles.resize(answer ? 0 : std::min<std::size_t>(count, handles.size()));
  return answer;
}

class LevelZeroReader final : public VendorReader {
 public:
  explicit LevelZeroReader(std::initializer_list<const char*> names) : names_(names) {}

  Result<void> Look(std::string& reason) override {
    for (const char* name : names_) {
      library_ = level_zero::Library({name});
      if (library_.library) break;
    }
    if (!library_.library) {
      reason = "no Level Zero: libze_loader.so.1 cannot be opened (Debian's package libze1)";
      return Error{Errc::kNotFound, ENOENT, "no libze_loader.so.1"};
    }
    if (library_.complete()) return {};
    reason = "libze_loader.so.1 has no zesInit (install version 1.9 or newer)";
    return Error{Errc::kUnsupported, 0, "libze_loader.so.1 is too old"};
  }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    std::vector<Domain> domains;
    if (const Answer answer = FindDomains(steps, domains)) {
      reason = WhyNoStart(answer);
      return ErrorOf(answer);
    }
    for (Domain& domain : domains) {
      // What fails now would make each Read with it fail.
      level_zero::EnergyCounter counter;
      const Answer answer = library_.energy(domain.handle, &counter);
      steps.Step();
      if (answer == 0) AddEvent(std::move(domain));
    }
    if (!events_.empty()) return {};
    reason = "Level Zero reports no GPU with an energy counter";
    return Error{Errc::kNoEvent, ENODEV, "no energy counter of an Intel GPU"};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    for (std::size_t i = 0; i < places.size(); ++i) {
      Domain& domain = domains_[places[i]];
      level_zero::EnergyCounter counter;
      const Answer answer = library_.energy(domain.handle, &counter);
      steps.Step();
      if (answer) {
        errors[i] = ErrorOf(answer);
        continue;
      }
      const auto taken = domain.energy.Take(counter.energy, steps.last_ns());
      if (taken) {
        errors[i] = taken->anew ? kBegunAnew : Error{};
        bits[i] = taken->total;
      } else {
        errors[i] = {Errc::kCorrupt, 0,
                     "a GPU's energy counter stepped back, or grew by more than a board can use"};
      }
    }
    return {};
  }

  Result<void> Reconnect(VendorSteps& steps) override {
    std::vector<Domain> domains;
    if (const Answer answer = FindDomains(steps, domains)) return ErrorOf(answer);
    for (Domain& known : domains_) {
      known.handle = nullptr;
      for (const Domain& found : domains) {
        if (found.name == known.name) known.handle = found.handle;
      }
      if (!known.handle) return ErrorOf(level_zero::kDeviceLost);
    }
    return {};
  }

 private:
  struct Domain {
    Handle handle = nullptr;
    std::string name;  ///< The event's
    DeviceCounter energy{{.most_per_second = kMostMicrowatts}};
  };

  /// Initializes the library in this process and lists the domains of all devices. A driver or
  /// device that refuses has none; the others are still used.
  Answer FindDomains(VendorSteps& steps, std::vector<Domain>& found) {
    const Answer answer = library_.init(0);
    steps.Step();
    if (answer) return answer;
    std::vector<Handle> drivers, devices;
    const auto get_drivers = [&](std::uint32_t* count, Handle* list) {
      return library_.drivers(count, list);
    };
    if (const Answer refused = List(steps, drivers, get_drivers)) return refused;
    unsigned number = 0;
    for (const Handle driver : drivers) {
      const auto get_devices = [&](std::uint32_t* count, Handle* list) {
        return library_.devices(driver, count, list);
      };
      if (List(steps, devices, get_devices) != 0) continue;
      for (const Handle device : devices) AddDevice(steps, device, number++, found);
    }
    return 0;
  }

  void AddDevice(VendorSteps& steps, Handle device, unsigned number, std::vector<Domain>& found) {
    const std::string name = "energy:device_" + std::to_string(number);
    Handle card = nullptr;
    if (library_.card_domain) {
      const Answer answer = library_.card_domain(device, &card);
      steps.Step();
      if (answer) card = nullptr;
    }
    std::vector<Handle> domains, parts;
    if (!card) {
      const auto get_domains = [&](std::uint32_t* count, Handle* list) {
        return library_.domains(device, count, list);
      };
      if (List(steps, domains, get_domains) != 0) return;
    }
    for (const Handle domain : domains) {
      level_zero::PowerProperties properties;
      const Answer answer = library_.properties(domain, &properties);
      steps.Step();
      if (answer) continue;
      if (properties.is_on_subdevice) {
        parts.push_back(domain);
      } else if (!card) {
        card = domain;  // the domains of the device contain those of its parts
      }
    }
    if (card) {
      found.push_back({card, name});
      return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      found.push_back({parts[i], name + ":domain_" + std::to_string(i)});
    }
  }

  void AddEvent(Domain domain) {
    DeviceEvent event;
    event.name = domain.name;
    event.description = "Energy of the GPU, by its own counter";
    event.units = "uJ";
    event.accumulates = true;
    event.most_per_second = kMostMicrowatts;
    events_.push_back(std::move(event));
    domains_.push_back(std::move(domain));
  }

  const std::vector<const char*> names_;
  level_zero::Library library_{{}};
  std::vector<DeviceEvent> events_;
  std::vector<Domain> domains_;  // by event
};

}  // namespace

std::unique_ptr<VendorReader> MakeLevelZeroReader(std::initializer_list<const char*> names) {
  return std::make_unique<LevelZeroReader>(names);
}

std::unique_ptr<DeviceSource> MakeLevelZeroSource() {
  return MakeVendorSource(MakeLevelZeroReader({"libze_loader.so.1"}), kLevelZeroPatience);
}

}  // namespace csink

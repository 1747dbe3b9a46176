#include "core/counting/components/vendor/rocm_smi_reader.h"

#include <errno.h>

#include <cmath>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/separate_source.h"
#include "core/counting/components/vendor/vendor_library.h"

// File: energy and power of AMD's GPUs by the ROCm SMI library. The functions and their numbers are
// those of its documented C interface (rocm_smi.h, ROCm 5.2; rsmi_dev_power_get: ROCm 5.6).

namespace csink {
namespace {

// rsmi_status_t; 0 is success.
using Status = std::uint32_t;
constexpr Status kNotSupported = 2, kPermission = 4, kInitError = 8;
// A limit for nonsense from the library.
constexpr std::uint32_t kMostCards = 256;
// More than any board draws.
constexpr double kMostMicrowatts = 20e9;

struct Library {
  explicit Library(std::initializer_list<const char*> names) noexcept : library(names) {
    library.Find("rsmi_init", init);
    library.Find("rsmi_num_monitor_devices", count);
    library.Find("rsmi_dev_name_get", name);
    library.Find("rsmi_dev_energy_count_get", energy);
    library.Find("rsmi_dev_power_ave_get", average_power);
    library.Find("rsmi_dev_power_get", power);
  }
  bool complete() const noexcept { return init && count && (energy || average_power || power); }

  VendorLibrary library;
  Status (*init)(std::uint64_t flags) = nullptr;
  Status (*count)(std::uint32_t*) = nullptr;
  Status (*name)(std::uint32_t card, char*, std::size_t) = nullptr;
  /// A count, the uJ of one count, and a time.
  Status (*energy)(std::uint32_t card, std::uint64_t*, float*, std::uint64_t*) = nullptr;
  /// In uW, of sensor 0. Cards since MI300 have the next one only, which also tells the kind of
  /// power (an enum).
  Status (*average_power)(std::uint32_t card, std::uint32_t sensor, std::uint64_t*) = nullptr;
  Status (*power)(std::uint32_t card, std::uint64_t*, std::uint32_t*) = nullptr;
};

Error ErrorOf(Status status) noexcept {
  switch (status) {
    case kNotSupported:
      return {Errc::kNoEvent, ENOTSUP, "the GPU no longer provides this reading"};
    case kPermission:
      return {Errc::kPermission, EACCES,
              "the amdgpu driver does not permit this user to read this value"};
    default:
      return {Errc::kSystem, EIO, "ROCm SMI cannot read the GPU (see rocm-smi)"};
  }
}

class RocmSmiReader final : public VendorReader {
 public:
  explicit RocmSmiReader(std::initializer_list<const char*> names) : names_(names) {}

  Result<void> Look(std::string& reason) override {
    for (const char* name : names_) {
      library_ = Library({name});
      if (library_.library) break;
    }
    if (!library_.library) {
      reason = "no ROCm SMI: librocm_smi64.so cannot be opened (Debian's package librocm-smi64-1)";
      return Error{Errc::kNotFound, ENOENT, "no librocm_smi64.so"};
    }
    if (library_.complete()) return {};
    reason = "librocm_smi64.so has no functions for energy and power (install a newer ROCm)";
    return Error{Errc::kUnsupported, 0, "librocm_smi64.so is too old"};
  }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    if (const Status status = library_.init(0)) {
      reason = status == kInitError
                   ? "ROCm SMI finds no driver of AMD's GPUs (modprobe amdgpu)"
                   : "ROCm SMI cannot be initialized: status " + std::to_string(status);
      return ErrorOf(status);
    }
    steps.Step();
    std::uint32_t count = 0;
    if (const Status status = library_.count(&count)) {
      reason = "ROCm SMI cannot list the GPUs: status " + std::to_string(status);
      return ErrorOf(status);
    }
    if (count == 0) {
      reason = "ROCm SMI reports no GPU of AMD";
      return Error{Errc::kNoEvent, ENODEV, "no AMD GPU"};
    }
    for (std::uint32_t card = 0; card < count && card < kMostCards; ++card) {
      AddCard(steps, card, reason);
    }
    if (!events_.empty()) return {};
    if (reason.empty()) reason = "the GPUs provide neither energy nor power";
    return Error{Errc::kUnsupported, 0, "the GPUs provide no readings"};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    for (std::size_t i = 0; i < places.size(); ++i) {
      Reading& reading = readings_[places[i]];
      double value = 0;
      const Status status =
          reading.is_energy ? Energy(reading.card, value) : Power(reading.card, value);
      steps.Step();
      if (status) {
        errors[i] = ErrorOf(status);
        continue;
      }
      errors[i] = Take(reading, value, steps.last_ns(), bits[i]);
    }
    return {};
  }

  // The library keeps descriptors of sysfs files alone, but its state is the parent's.
  Result<void> Reconnect(VendorSteps& steps) override {
    const Status status = library_.init(0);
    steps.Step();
    if (status) return ErrorOf(status);
    return {};
  }

 private:
  struct Reading {
    std::uint32_t card = 0;
    bool is_energy = false;
    DeviceCounter energy{{.most_per_second = kMostMicrowatts}};
  };

  /// In uJ. The product is NaN or negative if the resolution is.
  Status Energy(std::uint32_t card, double& uj) const {
    std::uint64_t counts = 0, time = 0;
    float resolution = 0;
    if (!library_.energy) return kNotSupported;
    const Status status = library_.energy(card, &counts, &resolution, &time);
    uj = static_cast<double>(counts) * static_cast<double>(resolution);
    return status;
  }

  /// In uW.
  Status Power(std::uint32_t card, double& uw) const {
    std::uint64_t value = 0;
    Status status =
        library_.average_power ? library_.average_power(card, 0, &value) : kNotSupported;
    if (status == kNotSupported && library_.power) {
      std::uint32_t kind = 0;
      status = library_.power(card, &value, &kind);
    }
    uw = static_cast<double>(value);
    return status;
  }

  // Refuses what no card can use, so that no mean contains it.
  static Error Take(Reading& reading, double value, std::uint64_t now_ns, std::uint64_t& bits) {
    // A conversion of NaN, of a negative or of a larger number would be undefined.
    constexpr double kMost = 1e18;
    const bool is_number = std::isfinite(value) && value >= 0 && value < kMost;
    if (!reading.is_energy) {
      if (!is_number || value > kMostMicrowatts) {
        return {Errc::kCorrupt, 0, "a GPU reports a power that no board can draw"};
      }
      bits = static_cast<std::uint64_t>(value);
      return {};
    }
    if (!is_number) return {Errc::kCorrupt, 0, "a GPU reports an energy that is no number"};
    const auto taken = reading.energy.Take(static_cast<std::uint64_t>(value), now_ns);
    if (!taken) {
      return {Errc::kCorrupt, 0,
              "a GPU's energy counter stepped back, or grew by more than a board can use"};
    }
    bits = taken->total;
    return taken->anew ? kBegunAnew : Error{};
  }

  // A card that refuses a reading has no event for it; the other cards are still used.
  void AddCard(VendorSteps& steps, std::uint32_t card, std::string& left_out) {
    char name[128] = {};
    if (!library_.name || library_.name(card, name, sizeof name - 1) != 0) name[0] = '\0';
    steps.Step();
    const std::size_t events_before = events_.size();
    Status failure = 0;
    for (const bool is_energy : {true, false}) {
      double value = 0;
      const Status status = is_energy ? Energy(card, value) : Power(card, value);
      steps.Step();
      if (status && status != kNotSupported) failure = status;
      // Cards without the counter answer with a count of 0 and a resolution of 0.
      if (status || (is_energy && !(value > 0))) continue;
      DeviceEvent event;
      event.name = (is_energy ? "energy:device_" : "power:device_") + std::to_string(card);
      event.description = is_energy ? "Energy of the GPU, by its own counter" : "Power of the GPU";
      if (*name) event.description += std::string(" (") + name + ")";
      event.units = is_energy ? "uJ" : "uW";
      event.accumulates = is_energy;
      if (is_energy) event.most_per_second = kMostMicrowatts;
      events_.push_back(std::move(event));
      readings_.push_back({card, is_energy});
    }
    if (failure && events_.size() == events_before) {
      AddLeftOut(left_out, card, "status " + std::to_string(failure));
    }
  }

  const std::vector<const char*> names_;
  Library library_{{}};
  std::vector<DeviceEvent> events_;
  std::vector<Reading> readings_;  // by event
};

}  // namespace

std::unique_ptr<VendorReader> MakeRocmSmiReader(std::initializer_list<const char*> names) {
  return std::make_unique<RocmSmiReader>(names);
}

std::unique_ptr<DeviceSource> MakeRocmSmiSource() {
  return MakeVendorSource(
      MakeRocmSmiReader({"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5",
                         "librocm_smi64.so.1", "librocm_smi64.so"}),
      kRocmSmiPatience);
}

}  // namespace csink

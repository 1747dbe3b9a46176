#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_source.h"

/// File: sources that gather values from several places, such as rapl and powercap.

namespace csink {

/// A name of the kernel's as a part of an event's name: blanks, control characters and what
/// separates the parts of an event's name (":,=") become '_'.
std::string NameInEvent(std::string name);

/// One way to read some of a source's values: a file, a set of registers, a PMU. Its values have
/// numbers of its own, from 0.
/// Owns: its descriptors. Threads: one at a time. Signals: not safe.
class ReadingPart {
 public:
  virtual ~ReadingPart() = default;
  /// Begins a new read: values that one access returns together are fetched once in each read.
  virtual void BeginRead() noexcept {}
  /// The bits of a value, by the part's own number: an integer, or a double's bits, as the event's
  /// type says. May block as long as the device does. Errors: those of the device.
  virtual Result<std::uint64_t> Value(std::uint32_t index) noexcept = 0;
  /// Whether the last value's counter began anew (DeviceCounter); false from then on.
  bool TakeAnew() noexcept { return std::exchange(anew_, false); }

 protected:
  /// Value of a counter's reading; `what` is the error of a refused one. Sets anew_.
  Result<std::uint64_t> Judge(const std::optional<DeviceCounter::Taken>& taken,
                              const char* what) noexcept {
    if (!taken) return Error{Errc::kCorrupt, 0, what};
    anew_ = anew_ || taken->anew;
    return taken->total;
  }
  bool anew_ = false;
};

/// A source composed of parts, each of which provides some of the values. A derived class adds
/// parts and events in its Open.
/// Owns: parts and events. Threads: as DeviceSource.
class PartedSource : public DeviceSource {
 public:
  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }
  /// Begins a read of all parts and asks each for its values.
  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) noexcept override;

 protected:
  /// Takes the part, and returns it for AddEvent.
  ReadingPart* AddPart(std::unique_ptr<ReadingPart> part);
  /// Adds an event whose value is number `index` of `part`. Returns the event's place.
  std::uint32_t AddEvent(DeviceEvent event, ReadingPart* part, std::uint32_t index);
  /// Adds an event that is computed from others (DeviceEvent::rate). Returns the event's place.
  std::uint32_t AddRate(DeviceEvent event) { return AddEvent(std::move(event), nullptr, 0); }

 private:
  struct Reading {
    /// nullptr: a rate, which has no reading.
    ReadingPart* part = nullptr;
    std::uint32_t index = 0;
    bool anew = false;  ///< A counter began anew since the last value
  };
  /// All parts begin a read together, whether it needs them or not.
  std::vector<std::unique_ptr<ReadingPart>> parts_;
  std::vector<DeviceEvent> events_;
  std::vector<Reading> readings_;  ///< By event's place
};

}  // namespace csink

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/components/device/device_source.h"

namespace csink {

/// One way to some of a source's readings: a file, a set of registers, a PMU.
/// Threads: one at a time.
class ReadingPart {
 public:
  virtual ~ReadingPart() = default;
  /// Values asked for from now on are of one read: what answers for several is asked once.
  virtual void BeginRead() noexcept {}
  /// The bits of a reading, by the part's own number.
  virtual Result<std::uint64_t> Value(std::uint32_t index) noexcept = 0;
};

/// A source that is put together from parts, each of which knows some of the readings.
class PartedSource : public DeviceSource {
 public:
  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }
  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits) noexcept override;

 protected:
  ReadingPart* AddPart(std::unique_ptr<ReadingPart> part);
  /// The event's place.
  std::uint32_t AddEvent(DeviceEvent event, ReadingPart* part, std::uint32_t index);
  /// One that is made of others (DeviceEvent::rate).
  std::uint32_t AddRate(DeviceEvent event) { return AddEvent(std::move(event), nullptr, 0); }

 private:
  struct Reading {
    ReadingPart* part = nullptr;
    std::uint32_t index = 0;
  };
  std::vector<std::unique_ptr<ReadingPart>> parts_;
  std::vector<DeviceEvent> events_;
  std::vector<Reading> readings_;  ///< By place
};

}  // namespace csink

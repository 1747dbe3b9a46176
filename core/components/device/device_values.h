#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/components/device/device_source.h"
#include "core/util/result.h"

namespace csink {

/// What the events of one set show, made of what a source tells: growth since the start, what is
/// now, and rates between two reads.
/// Threads: one at a time.
class DeviceValues {
 public:
  /// Makes it exactly these events, by number (place + 1); all show zero. Errors: kNoEvent.
  Result<void> Choose(const std::vector<DeviceEvent>& events,
                      std::span<const std::uint32_t> numbers);

  std::size_t size() const noexcept { return items_.size(); }
  /// What has to be read, once each: places of the source.
  const std::vector<std::uint32_t>& places() const noexcept { return places_; }
  /// Where the source's answer goes; TakeAnswer when it is there.
  std::uint64_t* answer() noexcept { return raw_.data(); }
  void TakeAnswer() noexcept;

  /// Accumulating events go on from `values`, or from zero (nullptr).
  void Restart(const long long* values) noexcept;
  void Give(long long* values) const noexcept;

 private:
  struct Input {
    std::uint32_t index = 0;     ///< In places_
    std::uint64_t previous = 0;  ///< When the rate was last made
  };
  struct Item {
    const DeviceEvent* event = nullptr;
    std::uint32_t index = 0;  ///< In places_, unless it is a rate
    std::vector<Input> over, under;
    std::uint64_t base = 0;  ///< Shown is the source's value less this
    std::uint64_t shown = 0;
  };

  std::uint32_t IndexOf(std::uint32_t place);
  void ShowRate(Item& item) noexcept;

  std::vector<Item> items_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> raw_;
};

}  // namespace csink

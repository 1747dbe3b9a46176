#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/components/device/device_source.h"
#include "core/util/result.h"

namespace csink {

/// Computes the values that the events of one set show from what a source reports: growth since the
/// start, momentary values, and rates between two reads.
/// Owns: the values; the source's events must outlive it. Threads: one at a time. Signals: not
///       safe.
class DeviceValues {
 public:
  /// Makes it consist of exactly these events, by number (place + 1); all values are zero. Errors:
  /// kNoEvent.
  Result<void> Choose(const std::vector<DeviceEvent>& events,
                      std::span<const std::uint32_t> numbers);

  std::size_t size() const noexcept { return items_.size(); }
  /// The places that must be read from the source, without duplicates.
  const std::vector<std::uint32_t>& places() const noexcept { return places_; }
  /// The buffer for the source's values of places(). TakeAnswer must be called when it is filled.
  std::uint64_t* answer() noexcept { return raw_.data(); }
  void TakeAnswer() noexcept;

  /// Sets accumulating events to values[size()], or to zero (nullptr).
  void Restart(const long long* values) noexcept;
  /// Stores the values in values[size()].
  void Give(long long* values) const noexcept;

 private:
  struct Input {
    std::uint32_t index = 0;     ///< Index in places_
    std::uint64_t previous = 0;  ///< Its value when the rate was last computed
  };
  struct Item {
    const DeviceEvent* event = nullptr;
    std::uint32_t index = 0;  ///< Index in places_; not used by a rate
    std::vector<Input> over, under;
    std::uint64_t base = 0;  ///< The source's value at which the event shows zero
    std::uint64_t shown = 0;
  };

  std::uint32_t IndexOf(std::uint32_t place);
  void ShowRate(Item& item) noexcept;

  std::vector<Item> items_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> raw_;
};

}  // namespace csink

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/counting/components/device/device_source.h"
#include "core/util/result.h"

/// File: the arithmetic of device sets, apart from locks and devices.

namespace csink {

/// Computes the values that the events of one set show from what a source reports: growth since the
/// start, momentary values, and rates between two reads. The order is: Choose; then for each read
/// fill answer() with the values of places(), and TakeAnswer; Give returns the result.
///   values.Choose(source.events(), numbers);
///   source.Read(values.places(), values.answer(), values.errors());
///   values.TakeAnswer();
///   values.Give(shown);
/// Owns: the values; the source's events must outlive it. Threads: one at a time. Signals: not
/// safe.
class DeviceValues {
 public:
  /// Makes the object consist of exactly these events, by number (place + 1); all values are zero.
  /// An event may be there twice. Errors: kNoEvent: no such number, or a hidden event; the object
  /// is then unchanged.
  Result<void> Choose(const std::vector<DeviceEvent>& events,
                      std::span<const std::uint32_t> numbers);

  /// The number of events, as in Choose.
  std::size_t size() const noexcept { return items_.size(); }
  /// The places that must be read from the source, without duplicates: those of the events, and of
  /// the inputs of rates.
  const std::vector<std::uint32_t>& places() const noexcept { return places_; }
  /// The buffers for the source's values of places() and their errors, in their order. TakeAnswer
  /// must be called when they are filled. Events that need a value which has an error keep what
  /// they show. A value with the error kLost is valid.
  std::uint64_t* answer() noexcept { return raw_.data(); }
  Error* errors() noexcept { return errors_.data(); }
  void TakeAnswer() noexcept;
  /// The first error of the last answer, kLost aside; kOk: all places have a value.
  Error FirstError() const noexcept;
  /// Of the last answer: stores the error of each event in errors[size()].
  void GiveErrors(Error* errors) const noexcept;

  /// Sets accumulating events to values[size()], or to zero (nullptr), as of the last answer.
  /// Momentary values and rates are unchanged. Events whose last answer is an error begin with
  /// their next value.
  void Restart(const long long* values) noexcept;
  /// Stores what is known by place for each event; 0 for rates.
  void Spread(const std::vector<double>& by_place, double* by_event) const noexcept;
  /// Stores the values of the last answer in values[size()].
  void Give(long long* values) const noexcept;

 private:
  /// A counter that a rate is computed from.
  struct Input {
    std::uint32_t index = 0;     ///< Index in places_
    std::uint64_t previous = 0;  ///< Its value when the rate was last computed
  };
  /// One event of the set.
  struct Item {
    const DeviceEvent* event = nullptr;
    std::uint32_t index = 0;  ///< Index in places_; not used by a rate
    /// Of a rate: as DeviceEvent::Rate.
    std::vector<Input> over, under;
    std::uint64_t base = 0;  ///< The source's value at which the event shows zero
    bool begins = false;     ///< The next value shows as `shown`
    /// The value that Give stores, as its 64 bits.
    std::uint64_t shown = 0;
  };

  /// The index of a place in places_, which is extended by new ones.
  std::uint32_t IndexOf(std::uint32_t place);
  /// The error of the values that the event needs; kOk: all were read.
  Error ErrorOf(const Item& item) const noexcept;
  /// Computes a rate from the growth of its inputs.
  void ShowRate(Item& item) noexcept;

  /// One for each event, in the order of Choose; then the places that they need, each once.
  std::vector<Item> items_;
  std::vector<std::uint32_t> places_;
  /// The source's values, by index in places_.
  std::vector<std::uint64_t> raw_;
  std::vector<Error> errors_;
};

}  // namespace csink

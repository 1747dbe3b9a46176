#include "core/counting/components/device/device_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

// File: integers are kept as 64-bit patterns and subtracted modulo 2^64; doubles are kept as their
// bits. An accumulating event shows the source's value minus a base, which Restart moves.

namespace csink {
namespace {

using Type = ComponentEvent::Type;

// a - b, of integers or of doubles.
std::uint64_t Less(std::uint64_t a, std::uint64_t b, Type type) noexcept {
  if (type != Type::kFloating) return a - b;
  return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) - std::bit_cast<double>(b));
}

// Whether the answer has a value.
bool IsValue(const Error& error) noexcept {
  return error.code == Errc::kOk || error.code == Errc::kLost;
}

// A computed value in the event's type: a double's bits, or the nearest integer.
std::uint64_t FromDouble(double value, Type type) noexcept {
  if (type == Type::kFloating) return std::bit_cast<std::uint64_t>(value);
  // Below 2^63: llround of a larger value is undefined.
  constexpr double kLargest = 9.2e18;
  return static_cast<std::uint64_t>(std::llround(std::clamp(value, -kLargest, kLargest)));
}

}  // namespace

std::uint32_t DeviceValues::IndexOf(std::uint32_t place) {
  const auto found = std::find(places_.begin(), places_.end(), place);
  const auto index = static_cast<std::uint32_t>(found - places_.begin());
  if (found == places_.end()) places_.push_back(place);
  return index;
}

Result<void> DeviceValues::Choose(const std::vector<DeviceEvent>& events,
                                  std::span<const std::uint32_t> numbers) {
  // Built aside, so that an error leaves the old events.
  DeviceValues chosen;
  for (const std::uint32_t number : numbers) {
    if (number == 0 || number > events.size() || events[number - 1].hidden) {
      return Error{Errc::kNoEvent, 0, "there is no such event"};
    }
    Item item;
    item.event = &events[number - 1];
    const DeviceEvent::Rate& rate = item.event->rate;
    // A rate has no value of its own in the source.
    if (rate.factor == 0) item.index = chosen.IndexOf(number - 1);
    for (const std::uint32_t place : rate.over) item.over.push_back({chosen.IndexOf(place), 0});
    for (const std::uint32_t place : rate.under) item.under.push_back({chosen.IndexOf(place), 0});
    chosen.items_.push_back(std::move(item));
  }
  chosen.raw_.assign(chosen.places_.size(), 0);
  chosen.errors_.resize(chosen.places_.size());
  *this = std::move(chosen);
  return {};
}

Error DeviceValues::FirstError() const noexcept {
  for (const Error& error : errors_) {
    if (!IsValue(error)) return error;
  }
  return {};
}

Error DeviceValues::ErrorOf(const Item& item) const noexcept {
  if (item.event->rate.factor == 0) return errors_[item.index];
  for (const auto* inputs : {&item.over, &item.under}) {
    for (const Input& input : *inputs) {
      if (errors_[input.index].code != Errc::kOk) return errors_[input.index];
    }
  }
  return {};
}

void DeviceValues::GiveErrors(Error* errors) const noexcept {
  for (std::size_t i = 0; i < items_.size(); ++i) errors[i] = ErrorOf(items_[i]);
}

void DeviceValues::TakeAnswer() noexcept {
  for (Item& item : items_) {
    if (!IsValue(ErrorOf(item))) continue;
    if (item.event->rate.factor != 0) {
      ShowRate(item);
      continue;
    }
    const std::uint64_t now = raw_[item.index];
    if (std::exchange(item.begins, false)) {
      item.base = Less(now, item.shown, item.event->value_type);
    }
    item.shown = item.event->accumulates ? Less(now, item.base, item.event->value_type) : now;
  }
}

void DeviceValues::ShowRate(Item& item) noexcept {
  // Leaves the value as it was while a divisor has not grown, and then keeps the inputs' start,
  // too.
  double value = item.event->rate.factor;
  for (const Input& input : item.under) {
    if (raw_[input.index] <= input.previous) return;
    value /= static_cast<double>(raw_[input.index] - input.previous);
  }
  for (const Input& input : item.over) {
    const std::uint64_t now = raw_[input.index];
    // A counter that went back was reset; its growth is unknown and counts as 0.
    value *= now < input.previous ? 0 : static_cast<double>(now - input.previous);
  }
  item.shown = FromDouble(value, item.event->value_type);
  for (Input& input : item.over) input.previous = raw_[input.index];
  for (Input& input : item.under) input.previous = raw_[input.index];
}

void DeviceValues::Restart(const long long* values) noexcept {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    // Momentary values and rates have no zero.
    if (!item.event->accumulates || item.event->rate.factor != 0) continue;
    const auto from = values ? static_cast<std::uint64_t>(values[i]) : 0;
    // The base at which the present value shows as `from`.
    item.base = Less(raw_[item.index], from, item.event->value_type);
    item.shown = from;
    item.begins = !IsValue(errors_[item.index]);
  }
}

void DeviceValues::Spread(const std::vector<double>& by_place, double* by_event) const noexcept {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const bool is_rate = items_[i].event->rate.factor != 0;
    by_event[i] = is_rate || items_[i].index >= by_place.size() ? 0 : by_place[items_[i].index];
  }
}

void DeviceValues::Give(long long* values) const noexcept {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    values[i] = static_cast<long long>(items_[i].shown);
  }
}

}  // namespace csink

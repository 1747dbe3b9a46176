#include "core/counting/components/sde/sde_counter_set.h"

#include <algorithm>

#include "core/counting/components/sde/sde_component.h"
#include "core/machine/clocks.h"
#include "core/util/thread_id.h"

// File: values are kept by libsde; the set keeps the numbers of its events and, when it is stopped,
// their last values. Reads inside an overflow handler that libsde called take the value of libsde's
// report instead, because libsde may hold its lock.

namespace csink::sde {
namespace {

Error Running() { return {Errc::kInvalid, 0, "the counters are running"}; }
Error Gone() { return {Errc::kNoEvent, 0, "the library has unregistered this event"}; }

// What cannot be counted is refused, so that it does not silently count something else.
Result<void> CheckOptions(std::span<const CounterRequest> requests,
                          const CountingOptions& options) {
  if (options.target.kind != CountingTarget::Kind::kCaller || options.target.inherit) {
    return Error{Errc::kUnsupported, 0,
                 "software defined events count this process only: no other thread, processor or "
                 "child can be selected"};
  }
  if (options.multiplex != CountingOptions::Multiplex::kOff) {
    return Error{Errc::kUnsupported, 0, "software defined events cannot be multiplexed"};
  }
  for (const CounterRequest& request : requests) {
    if (request.sampling.delivery != SamplingRequest::Delivery::kNone) {
      return Error{Errc::kUnsupported, 0,
                   "software defined events cannot be sampled: they have no addresses"};
    }
  }
  return {};
}

}  // namespace

Result<void> SdeCounterSet::Configure(std::span<const CounterRequest> requests,
                                      const CountingOptions& options) {
  if (running()) return Running();
  if (const Result<void> possible = CheckOptions(requests, options); !possible) return possible;
  std::vector<std::uint32_t> numbers;
  for (const CounterRequest& request : requests) {
    // Checked now, and again at each read: a library may unregister its events at any time.
    if (request.event == 0 || !functions_.Has(request.event - 1)) return Gone();
    numbers.push_back(request.event - 1);
  }
  last_.assign(numbers.size(), 0);
  numbers_ = std::move(numbers);
  // Overflows are handled on this thread.
  tid_ = AskTid();
  ran_ns_ = 0;
  return {};
}

Result<void> SdeCounterSet::ReadAll(long long* values) noexcept {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    // Only true inside Counted.
    if (ShownInHandler(numbers_[i], &values[i])) continue;
    if (functions_.read(numbers_[i], &values[i]) < 0) return Gone();
  }
  return {};
}

Result<void> SdeCounterSet::ResetAll() noexcept {
  for (const std::uint32_t number : numbers_) {
    // Checked here, because libsde returns 0 for the reset of an event that no longer exists.
    if (!functions_.Has(number) || functions_.reset(number) < 0) return Gone();
    CountingBegan(functions_, number);
  }
  return {};
}

Result<void> SdeCounterSet::Start() {
  if (running()) return Running();
  // libsde counts at all times; a start is a reset.
  if (const Result<void> reset = ResetAll(); !reset) return reset;
  started_ns_ = MonotonicNs();
  running_.store(true, std::memory_order_release);
  return {};
}

Result<void> SdeCounterSet::Stop() {
  if (!running()) return Error{Errc::kInvalid, 0, "the counters are not running"};
  running_.store(false, std::memory_order_release);
  ran_ns_ = MonotonicNs() - started_ns_;
  // If a read fails, the events behind it show 0.
  std::fill(last_.begin(), last_.end(), 0);
  return ReadAll(last_.data());
}

Result<void> SdeCounterSet::Read(long long* values) noexcept {
  if (running()) return ReadAll(values);
  std::copy(last_.begin(), last_.end(), values);
  return {};
}

Result<void> SdeCounterSet::Reset() noexcept {
  if (running()) return ResetAll();
  std::fill(last_.begin(), last_.end(), 0);
  return {};
}

Result<void> SdeCounterSet::ReadAndReset(long long* values) noexcept {
  const Result<void> read = Read(values);
  return read ? Reset() : read;
}

Result<void> SdeCounterSet::Write(const long long* values) noexcept {
  if (!running()) {
    return Error{Errc::kInvalid, 0,
                 "a software defined event is a variable of its library and can only be written "
                 "while the set runs"};
  }
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    // The events before this one are written: libsde has no way to write all or none.
    if (functions_.write(numbers_[i], values[i]) >= 0) continue;
    return Error{Errc::kUnsupported, 0,
                 "events of callbacks, groups, recorders and counting sets cannot be written"};
  }
  return {};
}

void SdeCounterSet::Times(std::size_t, std::uint64_t* enabled_ns,
                          std::uint64_t* running_ns) const noexcept {
  *enabled_ns = *running_ns = running() ? MonotonicNs() - started_ns_ : ran_ns_;
}

void SdeCounterSet::ForgetAfterFork() noexcept {
  // The counters are in the child's own memory; there is nothing of the parent's to close.
  running_.store(false, std::memory_order_relaxed);
  numbers_.clear();
  last_.clear();
  ran_ns_ = 0;
}

}  // namespace csink::sde

#pragma once

#include <bit>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/counting/components/device/device_source.h"

namespace csink::testing {

/// A device whose values are written by the test, and which can refuse, fail and stand still.
/// `Script` outlives the component that owns the source.
struct DeviceScript {
  std::mutex lock;
  std::condition_variable moved;
  std::vector<DeviceEvent> events;
  std::vector<std::uint64_t> values;
  std::string refusal;  ///< Open fails with this reason
  std::string missing;
  bool fails = false;                  ///< The next reads do
  std::set<std::uint32_t> lost;        ///< Numbers of events whose values fail
  std::set<std::uint32_t> impossible;  ///< Whose values are refused
  std::set<std::uint32_t> anew;        ///< Whose counters begin anew at the next read
  bool stuck = false;                  ///< Reads wait until it is false
  int opened = 0, reads = 0, forks = 0;

  std::uint32_t Add(DeviceEvent event, std::uint64_t value = 0) {
    events.push_back(std::move(event));
    values.push_back(value);
    return static_cast<std::uint32_t>(events.size());
  }
  void Set(std::uint32_t number, std::uint64_t value) {
    const std::scoped_lock held(lock);
    values[number - 1] = value;
  }
  int Reads() {
    const std::scoped_lock held(lock);
    return reads;
  }
  void SetStuck(bool is) {
    const std::scoped_lock held(lock);
    stuck = is;
    moved.notify_all();
  }
  /// Until so many reads have begun.
  void WaitForReads(int count) {
    std::unique_lock held(lock);
    moved.wait(held, [&] { return reads >= count; });
  }
};

class FakeDeviceSource final : public DeviceSource {
 public:
  explicit FakeDeviceSource(DeviceScript& script) : script_(script) {}

  Result<void> Open(std::string& reason) override {
    ++script_.opened;
    reason = script_.refusal;
    if (!reason.empty()) return Error{Errc::kPermission, 13, "refused"};
    return {};
  }
  const std::vector<DeviceEvent>& events() const noexcept override { return script_.events; }
  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) noexcept override {
    std::unique_lock held(script_.lock);
    ++script_.reads;
    script_.moved.notify_all();
    script_.moved.wait(held, [this] { return !script_.stuck; });
    if (script_.fails) return Error{Errc::kSystem, 5, "the device is gone"};
    for (std::size_t i = 0; i < places.size(); ++i) {
      errors[i] = {};
      if (script_.lost.contains(places[i] + 1))
        errors[i] = {Errc::kSystem, 19, "this card is lost"};
      if (script_.impossible.contains(places[i] + 1)) {
        errors[i] = {Errc::kCorrupt, 0, "that cannot be"};
        bits[i] = 0xdead;
        continue;
      }
      if (script_.anew.erase(places[i] + 1) != 0) errors[i] = kBegunAnew;
      bits[i] = script_.values[places[i]];
    }
    return {};
  }
  std::string support_version() const override { return "9.9"; }
  std::string missing() const override { return script_.missing; }
  void ForgetAfterFork() noexcept override { ++script_.forks; }

 private:
  DeviceScript& script_;
};

}  // namespace csink::testing

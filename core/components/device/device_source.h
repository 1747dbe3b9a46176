#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/components/component.h"
#include "core/util/result.h"

namespace csink {

inline constexpr std::uint64_t kDevicePatienceNs = 2'000'000'000;

/// One number that a device tells: a register, a file of the kernel's, a vendor library's answer.
struct DeviceEvent {
  std::string name = {};         ///< Without the component: "PACKAGE_ENERGY:PACKAGE0"
  std::string description = {};  ///< One sentence
  std::string units = {};        ///< Of the raw value: "nJ", "mW", "kHz"; "" for a plain number
  ComponentEvent::Type value_type = ComponentEvent::Type::kUnsigned;
  ComponentEvent::Scope scope = ComponentEvent::Scope::kMachine;
  /// Grows for ever (energy, work done): a set shows what it grew by since its start. False: what
  /// it is now (temperature, power); a set shows it as it is, and Reset does not change it.
  bool accumulates = false;
  /// Other names that Find knows and that listings leave out.
  std::vector<std::string> aliases = {};
  /// What this one grew by is uncertain when it is not read for longer than this (the time in which
  /// its counter wraps at the most power that is possible); 0: never.
  std::uint64_t longest_gap_ns = 0;
  /// An input of rates only: no name finds it and no listing shows it.
  bool hidden = false;

  /// factor * growth(over[0]) * growth(over[1]) ... / growth(under[0]) / ... between two reads of
  /// one set; the first time since the device's counters began. While an event below has not grown:
  /// as it was.
  struct Rate {
    double factor = 0;                     ///< 0: no rate, the source tells the value
    std::vector<std::uint32_t> over = {};  ///< Places of accumulating integers
    std::vector<std::uint32_t> under = {};
  };
  Rate rate = {};
};

/// What a component of devices needs to know of its devices; DeviceComponent makes a Component of
/// it. One object serves all event sets of the process.
///
/// Values are 64 bits: of kFloating the bytes of a double, else an integer. An accumulating value
/// is extended to 64 bits by the source whatever the width of the device's counter: a source whose
/// counter may wrap is read before half of its wrap time is over (`longest_gap_ns`).
/// Owns:    its descriptors, its vendor library, its threads.
/// Threads: Open once; Read from any thread, one at a time (DeviceComponent locks).
/// Signals: not safe.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  /// Looks for the devices, the first time that anybody asks. On failure the component is disabled
  /// and `reason` is the sentence for the user: what is absent, and what would grant it (a package,
  /// a group, a capability).
  virtual Result<void> Open(std::string& reason) = 0;
  /// After Open; does not change any more. An event's number is its place here + 1.
  virtual const std::vector<DeviceEvent>& events() const noexcept = 0;

  /// bits[i] of the event at place[i], which is no rate. A value that cannot be had now is an Error
  /// of the whole read; `bits` then holds nothing of use. Devices are asked once a call, not once
  /// an event.
  virtual Result<void> Read(std::span<const std::uint32_t> places,
                            std::uint64_t* bits) noexcept = 0;

  /// What holds for all accumulating events without a gap of their own; 0: never.
  virtual std::uint64_t longest_gap_ns() const noexcept { return 0; }
  /// What this machine has not beside the events that there are, and what would grant it: a
  /// sentence for the user; "" when nothing is missing.
  virtual std::string missing() const { return {}; }
  /// Version of the library or driver below; "" when it has none.
  virtual std::string support_version() const { return {}; }
  /// In a forked child: connections and threads of the parent's are not ours.
  virtual void ForgetAfterFork() noexcept {}
};

/// What a DeviceComponent is called.
struct DeviceComponentName {
  std::string_view name;  ///< "rapl"; also the short name
  std::string_view description;
};

/// A Component over a source. The source is opened when somebody asks for Info or an event.
/// Its sets count for the whole machine: CountingTarget kCaller alone, any domain, no sampling, no
/// multiplexing; several sets at a time.
///
/// While a set with an event that has a longest gap runs, a thread reads these events each half of
/// the shortest gap. A longer gap all the same (the process was stopped) is said once on stderr,
/// and the next read of each such set fails with kLost: its values are then a lower bound.
/// A device that another thread has been waiting for longer than kDevicePatienceNs is an error
/// (kSystem, ETIMEDOUT), not a wait without end.
std::unique_ptr<Component> MakeDeviceComponent(const DeviceComponentName& name,
                                               std::unique_ptr<DeviceSource> source);

}  // namespace csink

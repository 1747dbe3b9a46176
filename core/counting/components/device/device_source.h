#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/components/component.h"
#include "core/util/result.h"

/// File: what a folder of this kind of devices has to provide. MakeDeviceComponent does the rest:
/// numbers, growth, rates, wraps, threads.

namespace csink {

/// How long a caller waits for a device that another thread is reading, in ns. A reading of a BMC
/// takes up to a second.
inline constexpr std::uint64_t kDevicePatienceNs = 2'000'000'000;

/// The error of a value whose counter began anew.
inline constexpr Error kBegunAnew = {
    Errc::kLost, 0, "a device's counter began anew: what it grew by meanwhile is not known"};

/// A number that a device reports: a register, a file of the kernel's, a result of a vendor's
/// library. Constant once the source is open.
struct DeviceEvent {
  std::string name = {};         ///< Without the component: "PACKAGE_ENERGY:PACKAGE0"
  std::string description = {};  ///< One sentence
  std::string units = {};        ///< Of the raw value: "nJ", "mW", "kHz"; "": a plain number
  ComponentEvent::Type value_type = ComponentEvent::Type::kUnsigned;
  ComponentEvent::Scope scope = ComponentEvent::Scope::kMachine;
  /// True: the value grows for ever (energy, work done), and a set shows its growth since the
  /// start. False: a momentary value (temperature, power), which a set shows as it is and Reset
  /// does not change.
  bool accumulates = false;
  /// Other names, which Find accepts and listings leave out.
  std::vector<std::string> aliases = {};
  /// The growth is uncertain after a longer time without a read: the time in which the counter
  /// wraps at the highest possible power, in ns; 0: it never wraps, or DeviceSource::longest_gap_ns
  /// applies.
  std::uint64_t longest_gap_ns = 0;
  /// Of an accumulating value: its highest growth a second, in its own units; 0: not known. Bounds
  /// what it may lack after a longer gap, or where the device began anew.
  double most_per_second = 0;
  /// An input of rates only: not found by name and not listed.
  bool hidden = false;

  /// A rate: factor * growth(over[0]) * growth(over[1]) ... / growth(under[0]) / ... The growth is
  /// that between two reads of one set; at the first read, that since the device's counters began.
  /// While an event of `under` has not grown, the value stays.
  struct Rate {
    double factor = 0;                     ///< 0: not a rate; the source reports the value
    std::vector<std::uint32_t> over = {};  ///< Places of accumulating integer events
    std::vector<std::uint32_t> under = {};
  };
  Rate rate = {};
};

/// What a component needs to know of its devices; MakeDeviceComponent makes a Component from it.
/// One object serves all event sets of the process.
///
/// Values have 64 bits: for kFloating the bytes of a double, otherwise an integer. The source
/// extends an accumulating value to 64 bits whatever the width of the device's counter
/// (DeviceCounter); a source whose counter may wrap is read before half of its wrap time is over
/// (`longest_gap_ns`).
/// Owns:    its descriptors, its vendor library, its threads.
/// Threads: Open once; Read from any thread, one at a time (DeviceReader locks). The others after
/// Open from any thread.
/// Signals: not safe.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  /// Finds the devices; called once, when the component is first used. On failure the component is
  /// disabled for the life of the process, and `reason` is a sentence for the user: what is
  /// missing, and what would provide it (a package, a group, a capability).
  virtual Result<void> Open(std::string& reason) = 0;
  /// The events; constant after Open. An event's number is its index (place) + 1.
  virtual const std::vector<DeviceEvent>& events() const noexcept = 0;

  /// Stores the values of the events at places[i] (which are no rates) in bits[i], and in errors[i]
  /// kOk, or why bits[i] is undefined: a card that fails does not make the values of other cards
  /// unavailable. kLost: bits[i] is valid, but lacks what the counter grew by since the last good
  /// reading (DeviceCounter::Taken::anew). An error as result: nothing was read, and both arrays
  /// are undefined. A device is asked once for each call, not once for each event, so that the
  /// values belong together.
  virtual Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                            Error* errors) noexcept = 0;

  /// The gap of all accumulating events that state none of their own, in ns; 0: they never wrap.
  virtual std::uint64_t longest_gap_ns() const noexcept { return 0; }
  /// What this machine lacks beside the events that exist, and what would provide it, as a sentence
  /// for the user; "": nothing is missing.
  virtual std::string missing() const { return {}; }
  /// The version of the library or driver; "": it has none.
  virtual std::string support_version() const { return {}; }
  /// In a forked child: gives up connections and threads, which belong to the parent. Must
  /// take no lock that another thread of the parent may have held.
  virtual void ForgetAfterFork() noexcept {}
};

/// The name and description of a component of devices.
struct DeviceComponentName {
  std::string_view name;  ///< "rapl"; also the short name
  std::string_view description;
};

/// The clock by which gaps and rates are measured: ns, never goes back.
using DeviceClock = std::uint64_t (*)() noexcept;

/// Makes a Component of a source. The source is opened when Info or an event is first asked for.
/// Its sets count for the whole machine: CountingTarget kCaller only, any domain, no sampling, no
/// multiplexing; several sets may run at once.
///
/// While a set with an event that may wrap runs, a thread reads these events after each half of the
/// shortest gap. Where the gap becomes longer all the same (the process was stopped), one warning
/// is written to stderr, and the next read of each such set fails with kLost: its values are a
/// lower bound. So does one read after a device's counter began anew.
/// Where another thread has been reading a device for longer than kDevicePatienceNs, a call fails
/// (kSystem, ETIMEDOUT) instead of waiting without limit.
///
/// `clock`: nullptr for CLOCK_MONOTONIC; a test passes its own, to let counters wrap.
std::unique_ptr<Component> MakeDeviceComponent(const DeviceComponentName& name,
                                               std::unique_ptr<DeviceSource> source,
                                               DeviceClock clock = nullptr);

}  // namespace csink

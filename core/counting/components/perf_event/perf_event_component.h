#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "core/counting/catalogue/native_catalogue.h"
#include "core/counting/components/component.h"
#include "core/counting/components/perf_event/perf_capabilities.h"
#include "core/counting/counter_sets/perf_counter_set.h"

/// File: the components perf_event and perf_event_uncore: libpfm4's events
/// (core/counting/catalogue) counted by the kernel (core/counting/counter_sets).

namespace csink {

/// perf_event: events counted for threads. perf_event_uncore: events of socket-wide PMUs, counted
/// on one processor of each package and added up. One class, two objects, which differ in the side
/// of the catalogue.
/// Owns:    what it has found out; kernel and catalogue must outlive it. Threads: any; what is
/// found out is found once (std::once_flag). Signals: not safe.
class PerfEventComponent final : public Component, public CountableEvents {
 public:
  PerfEventComponent(Kernel& kernel, NativeCatalogue& catalogue, CatalogueSide side)
      : kernel_(kernel), catalogue_(catalogue), side_(side) {}

  /// The first call lists all events and so starts libpfm4; Basics does not.
  const ComponentInfo& Info() override;
  const ComponentInfo& Basics() override;
  std::string_view name() const noexcept override;
  /// The number is the catalogue's.
  Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) override;
  bool Describe(std::uint32_t event, ComponentEvent& out) override;
  /// Events that this machine does not have are left out (IsListed), so fewer are listed than
  /// Info().native_events, which counts the names that are known. Unit masks are all listed.
  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override;
  /// Opens the event once; the answer is remembered, unless it is a limit.
  Result<void> CanCount(std::uint32_t event) override;
  /// The first set of the core side also measures user-space reads.
  std::unique_ptr<CounterSet> MakeCounterSet() override;

  // CountableEvents:
  /// As CountableEvents. Returns false if the event is not of this side, or cannot be encoded.
  bool Encode(std::uint32_t event, CountableEvent& out) override;
  /// Measured at the first call; kSoftwareCounters where only software events count.
  std::size_t CountersAtOnce() override;
  CountingMemory& memory() noexcept override { return memory_; }

  /// The number of events that count at once where no PMU limits it: the kernel has so many
  /// software events, each of which counts independently.
  static constexpr int kSoftwareCounters = PERF_COUNT_SW_MAX;
  /// The most multiplexed events. Each is a descriptor, so the limit of open files applies, too.
  static constexpr int kMostMultiplexed = 384;

 private:
  /// Fill in Info and Basics; the core and the uncore side differ in what they probe. Called once
  /// each.
  void FindOut();
  void FindOutCore(ComponentInfo& info);
  void FindOutUncore();
  /// The number of hardware counters, counted at the first call.
  const HardwareCounters& Hardware();
  /// False if the event cannot be counted on this machine, neither by itself nor with one of its
  /// unit masks, because the machine does not have it. True where only permission, a limit or
  /// another program stands in the way, where the event's name alone cannot be encoded, and for
  /// every event of a processor that LIBPFM_FORCE_PMU names. The first call opens the event.
  bool IsListed(std::uint32_t event);
  /// The result of a trial of an event, or of an event with one unit mask.
  enum class Trial : unsigned char {
    kPossible,    ///< Counts, or is refused for a reason that may go away
    kAbsent,      ///< This machine does not have it
    kIncomplete,  ///< Cannot be encoded without a unit mask
  };
  Trial Try(std::uint32_t event);
  /// How many events like `event` can be opened at once.
  std::size_t CountTogether(std::uint32_t event);

  Kernel& kernel_;
  NativeCatalogue& catalogue_;
  const CatalogueSide side_;
  /// What counter sets learn of the machine, shared by all sets.
  CountingMemory memory_;
  /// Each is constant after its once_flag.
  ComponentInfo info_, basics_;
  std::once_flag info_once_, basics_once_, user_reads_once_, counters_once_;
  HardwareCounters hardware_;
  std::mutex countable_lock_;
  /// CanCount's answers, by event; under countable_lock_.
  std::unordered_map<std::uint32_t, Error> countable_;
};

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/counters/counter_set.h"
#include "core/counting/overflow/set_overflow.h"
#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: the interface between libpapi (and csink-meter) and the sources of counts.
/// core/counting/components/device makes components of devices, whose sources are in sensors and
/// vendor; the other folders have one component each.

namespace csink {

/// What a component is, and what it can do on this machine, found by trying.
struct ComponentInfo {
  /// The name by which PAPI finds the component, "perf_event".
  std::string name;
  std::string short_name;  ///< "perf"
  /// One line for listings.
  std::string description;
  /// Ours: CSINK_VERSION.
  std::string version;
  std::string support_version;  ///< Of the library it uses, "4.13" for libpfm4
  /// uname's release.
  std::string kernel_version;
  /// Why nothing can be counted, as one sentence for the user; "": the component works.
  std::string disabled_reason;
  /// True: no event of the component can be counted, and disabled_reason says why.
  bool disabled = false;
  /// Why hardware events do not count although software events do, as one sentence; "": they do.
  std::string hardware_reason;
  bool has_no_pmu = false;  ///< The kernel drives no PMU: no hardware event can ever count
  int counters = 0;         ///< Events that can really be opened and scheduled at once
  /// Events that can be opened at once where they take turns.
  int multiplexed_counters = 0;
  int native_events = 0;               ///< Base events, without unit masks
  std::vector<std::string> pmu_names;  ///< libpfm4's names of the PMUs that are present
  /// The privilege levels that may be asked for.
  CountingDomain available_domain;
  bool fast_counter_read = false;  ///< User-space reads work here
  /// For a set: counting another thread, a CPU, children of the caller; taking turns.
  bool can_attach = false, can_attach_cpu = false, can_inherit = false, can_multiplex = false;
  /// Overflows arrive as interrupts of the counter.
  bool has_hardware_overflow = false;
  bool reports_overflows = false;  ///< Overflows are reported, without an interrupt (kReported)
};

/// The description of an event for users. The texts are copies; they may be empty, except for the
/// name.
struct ComponentEvent {
  std::string name;  ///< Canonical: "perf::TASK-CLOCK", "skx::INST_RETIRED:ANY_P"
  std::string short_description;
  std::string long_description;
  /// "ns", "nJ", "W"; "": a plain count.
  std::string units;
  /// libpfm4's name of the PMU, or the component's name.
  std::string pmu;
  enum class Type : std::uint8_t { kUnsigned, kSigned, kFloating, kBits };
  /// How the 64 bits of a value are to be read.
  Type value_type = Type::kUnsigned;
  /// For a device or a program: true where the value grows (energy, a library's events), false
  /// where it is a momentary value (a temperature).
  bool accumulates = false;
  /// What a count includes: the thread's events only, or those of everything up to the machine.
  enum class Scope : std::uint8_t { kThread, kProcess, kCpu, kSocket, kMachine };
  Scope scope = Scope::kThread;
};

/// One step of listing a component's events (PAPI_enum_cmp_event).
enum class EnumerateStep : std::uint8_t {
  kFirst,      ///< The component's first base event; `from` is ignored
  kNext,       ///< The base event after `from`, or after the base event of `from`
  kUnitMasks,  ///< From a base event to its first unit mask, from a unit mask to the next one
  kUnitMaskCombinations,
  kGroups,
};

/// A source of counts: perf_event, perf_event_uncore, rapl, nvml, ... Each event that PAPI calls
/// native belongs to one component. Numbers of events begin with 1; 0 is no event, so that a
/// listing can begin there.
/// Owns:    its events; the registry owns components until the process ends.
/// Threads: any. Signals: not safe, except where stated.
class Component {
 public:
  virtual ~Component() = default;

  /// What the component is and can do. Determined at the first call, because probing takes
  /// milliseconds; the reference stays valid. Devices may take seconds to open.
  virtual const ComponentInfo& Info() = 0;
  /// The same without the values that need a list of all events: native_events, pmu_names and
  /// support_version may be missing.
  virtual const ComponentInfo& Basics() { return Info(); }
  /// The component's name, without any probing. Lives as long as the component.
  virtual std::string_view name() const noexcept = 0;

  /// The number of an event by its name: 1 to 2^24 - 1, because PAPI's event codes have 24 bits for
  /// it, and constant for the life of the process. Errors: kNoEvent, kInvalid and those of
  /// attributes; with a sentence in `complaint`, which replaces its text.
  virtual Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) = 0;
  /// Describes event number `event`. Returns false if there is none; `out` is then undefined.
  virtual bool Describe(std::uint32_t event, ComponentEvent& out) = 0;
  /// The event that a step leads to from event `from`. Errors: kNoEvent: there are no more, or the
  /// component has none of that kind.
  virtual Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) = 0;
  /// Whether the event can be opened on this machine, by opening it. Components may remember the
  /// result. Errors: kNoEvent, or why the kernel or the device refuses.
  virtual Result<void> CanCount(std::uint32_t event) = 0;

  /// A new, empty set of this component's counters. The component must outlive it. May be nullptr
  /// where the component is disabled.
  virtual std::unique_ptr<CounterSet> MakeCounterSet() = 0;

  /// Whether events are found by "name:::event" only. For devices: otherwise a misspelt event of
  /// the CPU would be searched there, and the devices would have to be opened
  /// (docs/design/components.md).
  virtual bool needs_prefix() const noexcept { return false; }
  /// Whether the counters are kept by code of the program, so that no other process can read them.
  virtual bool is_of_program() const noexcept { return false; }
  /// Whether overflows of its events are reported (OverflowMode::kReported) instead of by
  /// interrupts.
  virtual bool reports_overflows() const noexcept { return false; }
  /// Sets in the arming how overflows of the event are reported; threshold and counter are set
  /// already. kUnsupported: this component's events cannot overflow.
  virtual Result<void> SetUpReportedOverflow(std::uint32_t, OverflowArming&) {
    return Error{Errc::kUnsupported, 0, "this component's events cannot overflow"};
  }
  /// In a forked child, before ForgetAfterFork of any of its sets: locks, threads and connections
  /// of the parent are given up without being used.
  virtual void ForgetAfterFork() noexcept {}
};

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/counter_set.h"
#include "core/events/event_spec.h"
#include "core/overflow/set_overflow.h"
#include "core/util/result.h"

namespace csink {

/// What a component is and can do on this machine, as found by trying.
struct ComponentInfo {
  std::string name;        ///< "perf_event"
  std::string short_name;  ///< "perf"
  std::string description;
  std::string version;
  std::string support_version;  ///< Of the library below it, "4.13" for libpfm4
  std::string kernel_version;
  /// Why nothing can be counted, in one sentence for the user; empty: it works.
  std::string disabled_reason;
  bool disabled = false;
  /// Software events count, hardware events do not: why, in one sentence. Empty: they do too.
  std::string hardware_reason;
  bool has_no_pmu = false;  ///< The kernel drives none: no event of the processor can ever count
  int counters = 0;         ///< That can really be opened and scheduled together
  int multiplexed_counters = 0;
  int native_events = 0;               ///< Base events, without unit masks
  std::vector<std::string> pmu_names;  ///< libpfm4's, active ones
  CountingDomain available_domain;
  bool fast_counter_read = false;  ///< User-space reads work here
  bool can_attach = false, can_attach_cpu = false, can_inherit = false, can_multiplex = false;
  bool has_hardware_overflow = false;
  bool tells_overflows = false;  ///< Overflows without an interrupt (OverflowMode::kTold)
};

/// How an event looks to people.
struct ComponentEvent {
  std::string name;  ///< Canonical: "perf::TASK-CLOCK", "skx::INST_RETIRED:ANY_P"
  std::string short_description;
  std::string long_description;
  std::string units;
  std::string pmu;
  enum class Type : std::uint8_t { kUnsigned, kSigned, kFloating, kBits };
  Type value_type = Type::kUnsigned;
  /// Of a device or a program: grows (energy, events of a library); else it is what it is now.
  bool accumulates = false;
  enum class Scope : std::uint8_t { kThread, kProcess, kCpu, kSocket, kMachine };
  Scope scope = Scope::kThread;
};

enum class EnumerateStep : std::uint8_t {
  kFirst,      ///< The component's first base event; `from` is ignored
  kNext,       ///< The base event after `from` (or after the base of `from`)
  kUnitMasks,  ///< From a base event to its first unit mask, from one to the next
  kUnitMaskCombinations,
  kGroups,
};

/// One source of counts: perf_event, perf_event_uncore, and later rapl, nvml, ... All events that
/// PAPI calls native belong to one.
/// Threads: any. Signals: not safe.
class Component {
 public:
  virtual ~Component() = default;

  /// Found out at the first call, not before (probing costs milliseconds).
  virtual const ComponentInfo& Info() = 0;
  /// The same without what takes a list of all events to know: native_events, pmu_names and
  /// support_version may be missing.
  virtual const ComponentInfo& Basics() { return Info(); }
  /// The parts of Info that cost nothing.
  virtual std::string_view name() const noexcept = 0;

  /// The number (< 2^24, stable for the process) of an event by name. Errors: kNoEvent, kInvalid
  /// and those of the attributes; `complaint` holds a sentence.
  virtual Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) = 0;
  /// False when there is no such number.
  virtual bool Describe(std::uint32_t event, ComponentEvent& out) = 0;
  virtual Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) = 0;
  /// Whether it can be opened on this machine now, by opening it once; the answer is cached.
  virtual Result<void> CanCount(std::uint32_t event) = 0;

  virtual std::unique_ptr<CounterSet> MakeCounterSet() = 0;

  /// Its events are found as "name:::event" only: nobody looks for a misspelt event of the CPU in
  /// devices, which would have to be opened for it.
  virtual bool needs_prefix() const noexcept { return false; }
  /// Its counters are kept by the program's own code: no other process can read them.
  virtual bool is_of_program() const noexcept { return false; }
  /// Overflows of its events are told of (OverflowMode::kTold), not interrupts of a counter.
  virtual bool tells_overflows() const noexcept { return false; }
  /// Fills in how those of `event` are told; threshold and counter are set. kUnsupported: not of
  /// this one.
  virtual Result<void> TellOverflows(std::uint32_t, OverflowArming&) {
    return Error{Errc::kUnsupported, 0, "this component's events cannot overflow"};
  }
  /// In a forked child, before any of its sets is told.
  virtual void ForgetAfterFork() noexcept {}
};

}  // namespace csink

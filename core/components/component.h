#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/components/counter_set.h"
#include "core/events/event_spec.h"
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
  int counters = 0;  ///< That can really be opened and scheduled together
  int multiplexed_counters = 0;
  int native_events = 0;               ///< Base events, without unit masks
  std::vector<std::string> pmu_names;  ///< libpfm4's, active ones
  CountingDomain available_domain;
  bool fast_counter_read = false;  ///< User-space reads work here
  bool can_attach = false, can_attach_cpu = false, can_inherit = false, can_multiplex = false;
  bool has_hardware_overflow = false;
};

/// How an event looks to people.
struct ComponentEvent {
  std::string name;  ///< Canonical: "perf::TASK-CLOCK", "skx::INST_RETIRED:ANY_P"
  std::string short_description;
  std::string long_description;
  std::string units;
  std::string pmu;
  enum class Type : std::uint8_t { kUnsigned, kSigned, kFloating };
  Type value_type = Type::kUnsigned;
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
};

}  // namespace csink

#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/result.h"
#include "core/util/text.h"

/// File: from what people write to what the kernel takes. "cycles@4kHz" -> EventSpec.
///
/// Grammar of a list:   event[,event...]            at most kMaxEventSpecs
/// Grammar of an event: name[:modifier...][@rate]
///   name      a short alias (cycles, instructions, task-clock, ...), a perf
///             software event, or any event that libpfm4 knows (native or generic,
///             "skx::INST_RETIRED:ANY_P"); aliases never need libpfm4
///   modifier  u (user), k (kernel), p/pp/ppp (precision asked for)
///   rate      N[k|M|G]          a period in events (ns of CPU time for a clock)
///             N[k|M|G]Hz        a frequency; for a clock it becomes a period
///
/// A comma inside libpfm4's own syntax does not occur; its attributes are
/// separated by ':' and are handed through.

namespace csink {

inline constexpr std::size_t kMaxEventSpecs = 8;

/// What kind of thing an event counts. The values are those of spool::EventKind.
enum class EventClass : std::uint32_t {
  kOther = 0,
  kClock = 1,
  kCycles = 2,
  kInstructions = 3,
  kCacheReferences = 4,
  kCacheMisses = 5,
  kBranches = 6,
  kBranchMisses = 7,
  kPageFaults = 8,
  kContextSwitches = 9,
};

/// One event, ready to be turned into a perf_event_attr.
struct EventSpec {
  char name[64] =
      {};  ///< Canonical, without rate: no u, k, p: "task-clock", "skx::INST_RETIRED:ANY_P"
  EventClass kind = EventClass::kOther;
  std::uint32_t type = 0;  ///< perf_event_attr.type
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t period = 0;  ///< > 0, or 0 with frequency_hz > 0
  std::uint64_t frequency_hz = 0;
  bool exclude_user = false;
  /// Default; `:k` alone sets exclude_user and clears this. context-switches,
  /// cpu-migrations and cgroup-switches happen in the kernel only: clear by default.
  bool exclude_kernel = true;
  bool kernel_only = false;  ///< One of these
  bool level_given = false;  ///< u or k was stated
  std::uint8_t precise = 0;  ///< Asked for by modifiers, 0..3
  bool precise_given = false;
  bool rate_given = false;  ///< A period or frequency was stated
};

/// Whether the event needs a counter of the processor (or of another unit): such an event can be
/// throttled, multiplexed and taken away. Software events, tracepoints and breakpoints need none.
constexpr bool NeedsCounter(const EventSpec& spec) noexcept {
  return spec.type != PERF_TYPE_SOFTWARE && spec.type != PERF_TYPE_TRACEPOINT &&
         spec.type != PERF_TYPE_BREAKPOINT;
}

struct EventList {
  EventSpec events[kMaxEventSpecs];
  std::size_t count = 0;
};

/// A sentence for people when something is wrong: what, the nearest names, and
/// how to list what exists ("csink doctor --events").
using EventComplaint = Text<512>;

/// Parses a whole list. Opens libpfm4 (dlopen "libpfm.so.4") only when a name is
/// not an alias. On failure `complaint` holds one line for the user.
/// Errors: kNoEvent (unknown name), kInvalid (syntax, impossible period), kLimit
/// (too many), kUnsupported (libpfm4 is needed and cannot be loaded).
/// Rates above 10 kHz (a clock's period, any frequency) are clamped; then the call
/// succeeds and `complaint` holds the warning, else it is empty. Threads: one at a time. Signals:
/// not safe.
Result<EventList> ParseEventList(std::string_view text, EventComplaint& complaint) noexcept;

/// The name with what is not in it: "task-clock:u", "cycles:uk:pp". Signals: safe.
Text<80> EventDisplayName(const EventSpec& spec) noexcept;

/// The default period of clocks, prime so that it does not beat with the program's loops. Faults
/// and switches have 1 (each); event_alias.cpp is the table.
inline constexpr std::uint64_t kDefaultClockPeriodNs = 1'000'003;
inline constexpr std::uint64_t kMaxClockHz = 10'000;
/// Events that need a counter are sampled so often when no rate is stated: the kernel adapts their
/// period, so that no processor speed and no rate of the event makes the kernel throttle them.
inline constexpr std::uint64_t kDefaultCounterHz = 1'000;
inline constexpr std::uint64_t kMinCyclesPeriod = 100;  ///< Of cycles and instructions

}  // namespace csink

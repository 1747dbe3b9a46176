#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/event_class.h"
#include "core/util/result.h"
#include "core/util/text.h"

/// File: parses event strings into what the kernel needs: "cycles@4kHz" -> EventSpec.
///
/// Grammar of a list:   event[,event...]            at most kMaxEventSpecs
/// Grammar of an event: name[:modifier...][@rate]
///   name      a short alias (cycles, instructions, task-clock, ...), a software event of perf, or
///             any event that libpfm4 knows (native or generic, "skx::INST_RETIRED:ANY_P"); aliases
///             never need libpfm4; or an event of sysfs in perf's spelling,
///             "cpu/event=0x76,umask=1/" (sysfs_event.h); "topdown" stands for several events
///             (topdown_events.h)
///   modifier  u (user), k (kernel), p/pp/ppp (the precision asked for)
///   rate      N[k|M|G]: a period in events (ns of CPU time for a clock), or N[k|M|G]Hz: a
///             frequency, which becomes a period for a clock
///
/// libpfm4's own syntax contains no comma; its attributes are separated by ':' and passed on to it.

namespace csink {

inline constexpr std::size_t kMaxEventSpecs = 8;

/// One parsed event, from which a perf_event_attr can be made. Plain data; may be copied.
struct EventSpec {
  char name[64] =
      {};  ///< Canonical, without rate and u, k, p: "task-clock", "skx::INST_RETIRED:ANY_P"
  EventClass kind = EventClass::kOther;
  std::uint32_t type = 0;  ///< perf_event_attr.type
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t period = 0;  ///< > 0; or 0, and frequency_hz > 0
  std::uint64_t frequency_hz = 0;
  bool exclude_user = false;
  /// True by default. ":k" alone sets exclude_user and clears this. Events that occur in kernel
  /// mode only (context-switches, cpu-migrations, cgroup-switches) have it cleared by default.
  bool exclude_kernel = true;
  bool kernel_only = false;  ///< Occurs in kernel mode only
  bool level_given = false;  ///< The user stated u or k
  std::uint8_t precise = 0;  ///< The precision asked for by modifiers, 0 to 3
  bool precise_given = false;
  bool rate_given = false;  ///< The user stated a period or a frequency
};

/// Whether the event needs a hardware counter. Such an event can be throttled, multiplexed, or lose
/// its counter. Software events, tracepoints and breakpoints need none.
constexpr bool NeedsCounter(const EventSpec& spec) noexcept {
  return spec.type != PERF_TYPE_SOFTWARE && spec.type != PERF_TYPE_TRACEPOINT &&
         spec.type != PERF_TYPE_BREAKPOINT;
}

/// The events of one run, in the order of the list.
struct EventList {
  EventSpec events[kMaxEventSpecs];
  std::size_t count = 0;
};

/// A sentence for the user about a problem: what is wrong, the nearest names, and how to list all
/// names ("csink doctor --events").
using EventComplaint = Text<512>;

/// Parses a list of events. Loads libpfm4 (dlopen "libpfm.so.4") only where a name is not an alias.
/// On success `complaint` is empty, or holds a warning: rates above 10 kHz (a clock's period, any
/// frequency) are clamped.
/// Errors:  kNoEvent (unknown name), kInvalid (syntax, impossible period), kLimit (too many
///          events), kUnsupported (libpfm4 is needed and cannot be loaded); with a sentence in
///          `complaint`.
/// Threads: one at a time. Signals: not safe.
Result<EventList> ParseEventList(std::string_view text, EventComplaint& complaint) noexcept;

/// The event's name with level and precision: "task-clock:u", "cycles:uk:pp". Signals: safe.
Text<80> EventDisplayName(const EventSpec& spec) noexcept;

/// The default period of clocks in ns. A prime, so that samples do not stay in step with loops of
/// the program. Faults and switches have the default period 1 (each); event_alias.cpp has the
/// table.
inline constexpr std::uint64_t kDefaultClockPeriodNs = 1'000'003;
inline constexpr std::uint64_t kMaxClockHz = 10'000;
/// The default frequency of events that need a counter. With a frequency the kernel adapts the
/// period, so that neither a fast processor nor a frequent event makes the kernel throttle it.
inline constexpr std::uint64_t kDefaultCounterHz = 1'000;
inline constexpr std::uint64_t kMinCyclesPeriod = 100;  ///< For cycles and instructions

}  // namespace csink

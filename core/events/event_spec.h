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

/// The most events of one list, and so of one run. The arrays of a run's parts are of this size.
inline constexpr std::size_t kMaxEventSpecs = 8;

/// One parsed event, from which a perf_event_attr can be made. Plain data; may be copied.
struct EventSpec {
  /// Canonical, without rate and u, k, p: "task-clock", "skx::INST_RETIRED:ANY_P". NUL-terminated;
  /// a longer name is cut. The report shows it.
  char name[64] = {};
  EventClass kind = EventClass::kOther;
  std::uint32_t type = 0;  ///< perf_event_attr.type
  /// The event's code in its PMU; config1 and config2 hold what config has no bits for.
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  /// In events, or ns of CPU time for a clock; then frequency_hz is 0. 0: frequency_hz applies.
  std::uint64_t period = 0;
  /// Samples a second of the event's running time, at most kMaxClockHz. 0: period applies.
  std::uint64_t frequency_hz = 0;
  /// The privilege levels that are not counted (perf_event_attr).
  bool exclude_user = false;
  /// True by default. ":k" alone sets exclude_user and clears this. Events that occur in kernel
  /// mode only (context-switches, cpu-migrations, cgroup-switches) have it cleared by default.
  bool exclude_kernel = true;
  /// The event occurs in kernel mode only: where the kernel may not be counted, it stays at 0.
  bool kernel_only = false;
  bool level_given = false;  ///< The user stated u or k
  std::uint8_t precise = 0;  ///< The precision asked for by modifiers, 0 to 3
  /// The user stated a precision, or the event's definition fixes it (topdown: 0).
  bool precise_given = false;
  bool rate_given = false;  ///< The user stated a period or a frequency
};

/// Whether the event needs a hardware counter. Such an event can be throttled, multiplexed, or lose
/// its counter. Software events, tracepoints and breakpoints need none. Decided by spec.type alone;
/// a PMU with a type of its own (msr, for instance) is taken for one with counters.
constexpr bool NeedsCounter(const EventSpec& spec) noexcept {
  return spec.type != PERF_TYPE_SOFTWARE && spec.type != PERF_TYPE_TRACEPOINT &&
         spec.type != PERF_TYPE_BREAKPOINT;
}

/// The events of one run, in the order of the list: the first `count` elements of `events`. An
/// event may be there twice.
struct EventList {
  EventSpec events[kMaxEventSpecs];
  std::size_t count = 0;
};

/// A sentence for the user about a problem: what is wrong, the nearest names, and how to list all
/// names ("csink doctor --events"). A longer text is cut.
using EventComplaint = Text<512>;

/// Parses a list of events and sets level, precision and rate of each. Loads libpfm4 (dlopen
/// "libpfm.so.4") only where a name is not an alias, and reads sysfs for names in perf's spelling
/// and for "topdown".
/// On success `complaint` is empty, or holds warnings, separated by ';': rates above 10 kHz (a
/// clock's period, any frequency) are clamped; an event never counts at the stated level. On
/// failure it explains the first event that is wrong, and no list is returned.
/// Errors:  kNoEvent (unknown name), kInvalid (syntax, impossible period), kLimit (too many
///          events), kUnsupported (libpfm4 is needed and cannot be loaded); with a sentence in
///          `complaint`.
/// Threads: one at a time. Signals: not safe.
Result<EventList> ParseEventList(std::string_view text, EventComplaint& complaint) noexcept;

/// The event's name with level and precision: "task-clock:u", "cycles:uk:pp". A precision that was
/// not stated is not shown; neither is a level where both are excluded. Threads: any. Signals: safe
/// (event_display_signal.cpp).
Text<80> EventDisplayName(const EventSpec& spec) noexcept;

/// The default period of clocks in ns. A prime, so that samples do not stay in step with loops of
/// the program. Faults and switches have the default period 1 (each); event_alias.cpp has the
/// table.
inline constexpr std::uint64_t kDefaultClockPeriodNs = 1'000'003;
/// The highest rate of samples, of a clock in CPU time. Higher rates are clamped with a warning, by
/// ApplyEventRate.
inline constexpr std::uint64_t kMaxClockHz = 10'000;
/// The default frequency of events that need a counter. With a frequency the kernel adapts the
/// period, so that neither a fast processor nor a frequent event makes the kernel throttle it.
inline constexpr std::uint64_t kDefaultCounterHz = 1'000;
/// The shortest period, in events, of events that occur about as often as cycles. A sample takes
/// longer than a shorter period, so the program would make no progress.
inline constexpr std::uint64_t kMinCyclesPeriod = 100;

}  // namespace csink

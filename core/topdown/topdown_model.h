#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/topdown/topdown_shares.h"
#include "core/util/result.h"

/// File: which events divide the slots of this processor. The choice depends on the processor's
/// identification (CPUID, MIDR) and on what the kernel offers in sysfs.
///
/// Lean: no heap, no standard library. Threads: any; nothing is cached. Signals: not safe.

namespace csink {

/// A processor, in the numbers of its own architecture.
struct Processor {
  /// kArm: any maker of processors with Arm's architecture.
  enum class Vendor : std::uint8_t { kOther, kIntel, kAmd, kArm };
  Vendor vendor = Vendor::kOther;
  std::uint32_t family = 0;       ///< x86: display family
  std::uint32_t model = 0;        ///< x86: display model; Arm: part number
  std::uint32_t revision = 0;     ///< Arm: variant << 4 | revision (r0p3 is 0x03); x86: stepping
  std::uint32_t implementer = 0;  ///< Arm: MIDR_EL1[31:24]
};

/// The processor that this code runs on; kOther where neither CPUID nor MIDR_EL1 is available. On
/// a machine with several kinds of cores the answer is that of one of them.
Processor ThisProcessor() noexcept;
/// The processor that Arm's MIDR_EL1 register describes (Arm ARM, MIDR_EL1).
Processor ProcessorOfMidr(std::uint64_t midr) noexcept;

/// One event of a model. The count times `factor` has the unit of its role: slots, or cycles for
/// the last two roles of TopdownRole.
struct TopdownEvent {
  TopdownRole role = TopdownRole::kSlots;
  std::uint64_t config = 0;  ///< perf_event_attr.config
  std::uint32_t factor = 1;  ///< Slots per count
};

/// The events of one processor's analysis. The first event counts all slots.
struct TopdownModel {
  /// Five metric events of level 1 and four of level 2 (Intel).
  static constexpr std::size_t kMostEvents = 9;
  TopdownFormula formula = TopdownFormula::kZen;
  /// perf_event_attr.type of all events: that of the core's PMU (4 is PERF_TYPE_RAW).
  std::uint32_t type = 4;
  TopdownEvent events[kMostEvents];
  std::size_t count = 0;
  std::size_t level1_count = 0;  ///< The number of events, from the first on, that level 1 needs
  /// The kernel's rule for Intel's metric events: all events in one group that the slots event
  /// leads, without sampling, read by read(2).
  bool one_group = false;

  /// The name under which event number `event` is written to a spool.
  TopdownName NameOf(std::size_t event) const noexcept {
    return {formula, events[event].role, events[event].factor};
  }
};

/// The purpose of the events. Intel's metric events cannot be sampled, so general events are used
/// for sampling there. On other processors both have the same events.
enum class TopdownUse : std::uint8_t { kSampling, kCounting };

/// Why there is no model, as one sentence without a full stop, for a message to the user.
using TopdownReason = Text<256>;

/// The model of `processor`. The kernel's part is read from ROOT/sys/bus/event_source/devices (""
/// for this machine), some small files at each call. Level 2 is as complete as processor and kernel
/// allow.
///   const auto model = FindTopdownModel(ThisProcessor(), {}, TopdownUse::kCounting, reason);
///   // Count model->events; each count times its factor is the count of its role.
///   const TopdownShares shares = SharesOf(model->formula, counts);
/// Errors: kUnsupported (no PMU, no table for the processor, a missing event, or an unknown number
/// of slots), with the reason in `reason`, which is otherwise empty.
Result<TopdownModel> FindTopdownModel(const Processor& processor, std::string_view root,
                                      TopdownUse use, TopdownReason& reason) noexcept;

/// Parses the kernel's description of an Intel event in sysfs, for instance
/// "event=0x3c,umask=0x0,any=1", into perf_event_attr.config. Returns false if the text has no
/// event, an unknown field, or a value that does not fit its field; `config` is then undefined.
bool ParseIntelEvent(std::string_view text, std::uint64_t& config) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/topdown/topdown_shares.h"
#include "core/util/result.h"

/// File: which events divide the slots of this processor, from its own numbers (CPUID, MIDR) and
/// from what the kernel offers in sysfs.
///
/// Lean: no heap, no standard library. Threads: any; nothing is cached. Signals: not safe.

namespace csink {

/// Which processor it is, in the numbers of its own architecture.
struct Processor {
  enum class Vendor : std::uint8_t { kOther, kIntel, kAmd, kArm };
  Vendor vendor = Vendor::kOther;
  std::uint32_t family = 0;       ///< x86: display family
  std::uint32_t model = 0;        ///< x86: display model; Arm: part number
  std::uint32_t revision = 0;     ///< Arm: variant << 4 | revision (r0p3 is 0x03); x86: stepping
  std::uint32_t implementer = 0;  ///< Arm: MIDR_EL1[31:24]
};

/// The processor that this runs on; kOther where neither cpuid nor MIDR_EL1 can be had.
Processor ThisProcessor() noexcept;
/// Of Arm's MIDR_EL1.
Processor ProcessorOfMidr(std::uint64_t midr) noexcept;

struct TopdownEvent {
  TopdownRole role = TopdownRole::kSlots;
  std::uint64_t config = 0;  ///< perf_event_attr.config
  std::uint32_t factor = 1;  ///< Slots that one count stands for
};

/// The events of one processor. The first one counts all slots.
struct TopdownModel {
  static constexpr std::size_t kMostEvents = 9;
  TopdownFormula formula = TopdownFormula::kZen;
  std::uint32_t type = 4;  ///< perf_event_attr.type
  TopdownEvent events[kMostEvents];
  std::size_t count = 0;
  std::size_t level1_count = 0;  ///< So many of them, the first ones, are enough for level 1
  /// The kernel's rule for Intel's metric events: one group whose leader counts the slots, no
  /// sampling, read by read(2).
  bool one_group = false;

  TopdownName NameOf(std::size_t event) const noexcept {
    return {formula, events[event].role, events[event].factor};
  }
};

/// What the events are for. Intel's metric events cannot be sampled, so that sampling takes plain
/// events there.
enum class TopdownUse : std::uint8_t { kSampling, kCounting };

/// Why there is no model: one sentence.
using TopdownReason = Text<256>;

/// The model of `processor`; the kernel's part is read below `root` ("" for this machine;
/// "ROOT/sys/bus/event_source/devices/..."). Fails with kUnsupported and a reason.
Result<TopdownModel> FindTopdownModel(const Processor& processor, std::string_view root,
                                      TopdownUse use, TopdownReason& reason) noexcept;

/// One of the kernel's descriptions of an Intel event, "event=0x3c,umask=0x0,any=1". False: it has
/// a field that is not known, or a value too large for it.
bool ParseIntelEvent(std::string_view text, std::uint64_t& config) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>

#include "core/counting/components/vendor/mic_library.h"
#include "core/counting/components/vendor/vendor_reader.h"
#include "core/util/result.h"

/// File: the values of one Xeon Phi card, by Intel's library.

namespace csink::mic {

/// Groups of values that are fetched by one call. The numbers are indices of a read's table.
enum class Group : unsigned char { kPower, kThermal, kCoreClock, kMemoryClock, kTime, kMemory };
inline constexpr unsigned kGroups = 6;

/// An event "<name>:DEVICEn": value number `part` of its group. The visible events of kTime are
/// rates over the hidden ones (kJiffies).
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  /// Where the value comes from: of which group, and which number of it.
  Group group;
  unsigned part;
  /// kNow: a momentary value. kTime and kShare: rates over jiffies. kJiffies: a hidden counter.
  enum Kind : unsigned char { kNow, kTime, kShare, kJiffies } kind = kNow;
};
/// Events of each card, with the hidden ones.
inline constexpr unsigned kMetricCount = 25;
/// Indices in kMetrics of the hidden events, parts 0 to 2 of Group::kTime.
inline constexpr unsigned kActiveJiffies = 22, kIdleJiffies = 23, kAllJiffies = 24;
extern const Metric kMetrics[kMetricCount];

/// One Xeon Phi card and its open handle. The handle is never closed, because a call that was given
/// up may still use it.
/// Threads: one at a time. Signals: not safe.
class Card {
 public:
  /// `number` is the driver's.
  explicit Card(std::uint32_t number) : number_(number) {}

  /// Opens the card, in a forked child once more, and notes its jiffies. Errors: kSystem.
  Result<void> Open(const Library& library);
  /// Milliseconds of one processor for a jiffy of the sum over all processors, on average. Valid
  /// after Open.
  double ms_per_jiffy() const noexcept;
  /// Reads the values of a group, in the order of kMetrics' parts, into the first elements of
  /// `numbers`. Jiffies always grow, also over a restart of the card. Makes a step at its end. May
  /// block. Errors: kSystem.
  Result<void> Fetch(const Library& library, VendorSteps& steps, Group group,
                     std::uint64_t (&numbers)[7]);

 private:
  /// Sums over all processors of the card.
  struct Jiffies {
    std::uint64_t active = 0, idle = 0;
  };
  /// Asks for the card's jiffies, and adds their growth to the sums.
  Result<Jiffies> ReadJiffies(const Library& library) const;
  Result<void> FetchTime(const Library& library, std::uint64_t (&numbers)[7]);

  std::uint32_t number_;
  /// Of Open; nullptr before it, or where it failed.
  Handle* device_ = nullptr;
  /// Hardware threads of the card.
  unsigned processors_ = 0;
  Jiffies before_;  ///< The card's counters when they were last read
  Jiffies grown_;   ///< Their growth since Open
};

}  // namespace csink::mic

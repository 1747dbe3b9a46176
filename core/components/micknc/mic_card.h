#pragma once

#include <cstdint>

#include "core/components/micknc/mic_library.h"
#include "core/components/vendor/vendor_reader.h"
#include "core/util/result.h"

namespace csink::mic {

/// Groups of values that are fetched by one call.
enum class Group : unsigned char { kPower, kThermal, kCoreClock, kMemoryClock, kTime, kMemory };
inline constexpr unsigned kGroups = 6;

/// An event "<name>:DEVICEn": value number `part` of its group. The visible events of kTime are
/// rates over the hidden ones (kJiffies).
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  Group group;
  unsigned part;
  enum Kind : unsigned char { kNow, kTime, kShare, kJiffies } kind = kNow;
};
inline constexpr unsigned kMetricCount = 25;
/// Indices in kMetrics of the hidden events, parts 0 to 2 of Group::kTime.
inline constexpr unsigned kActiveJiffies = 22, kIdleJiffies = 23, kAllJiffies = 24;
extern const Metric kMetrics[kMetricCount];

/// One Xeon Phi card and its open handle. The handle is never closed, because a call that was given
/// up may still use it.
/// Threads: one at a time.
class Card {
 public:
  explicit Card(std::uint32_t number) : number_(number) {}

  /// Opens the card. Errors: kSystem.
  Result<void> Open(const Library& library);
  /// Milliseconds of one processor for a jiffy of the sum over all processors, on average.
  double ms_per_jiffy() const noexcept;
  /// Reads the values of a group, in the order of kMetrics' parts. Jiffies always grow, also over
  /// a restart of the card. May block. Errors: kSystem.
  Result<void> Fetch(const Library& library, VendorSteps& steps, Group group,
                     std::uint64_t (&numbers)[7]);

 private:
  struct Jiffies {
    std::uint64_t active = 0, idle = 0;
  };
  Result<Jiffies> ReadJiffies(const Library& library) const;
  Result<void> FetchTime(const Library& library, std::uint64_t (&numbers)[7]);

  std::uint32_t number_;
  Handle* device_ = nullptr;
  unsigned processors_ = 0;
  Jiffies before_;  ///< The card's counters when they were last read
  Jiffies grown_;   ///< Their growth since Open
};

}  // namespace csink::mic

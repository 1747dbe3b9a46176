#pragma once

#include <cstdint>

#include "core/components/micknc/mic_library.h"
#include "core/components/vendor/vendor_reader.h"
#include "core/util/result.h"

namespace csink::mic {

/// What is fetched together.
enum class Group : unsigned char { kPower, kThermal, kCoreClock, kMemoryClock, kTime, kMemory };
inline constexpr unsigned kGroups = 6;

/// An event "<name>:DEVICEn": number `part` of its group. Those of kTime are made of the growth of
/// the hidden ones: kJiffies.
struct Metric {
  const char* name;
  const char* description;
  const char* units;
  Group group;
  unsigned part;
  enum Kind : unsigned char { kNow, kTime, kShare, kJiffies } kind = kNow;
};
inline constexpr unsigned kMetricCount = 25;
/// Places of the hidden ones in kMetrics, parts 0 to 2 of Group::kTime.
inline constexpr unsigned kActiveJiffies = 22, kIdleJiffies = 23, kAllJiffies = 24;
extern const Metric kMetrics[kMetricCount];

/// One Xeon Phi and its open handle, which is never closed: a call that was given up may be inside.
/// Threads: one at a time.
class Card {
 public:
  explicit Card(std::uint32_t number) : number_(number) {}

  /// Errors: kSystem.
  Result<void> Open(const Library& library);
  /// Milliseconds of one processor that a jiffy of the sum over all of them is, averaged.
  double ms_per_jiffy() const noexcept;
  /// The numbers of a group, kMetrics' parts. Jiffies grow for ever, also over a restart of the
  /// card. May block.
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
  Jiffies before_;  ///< As the card said
  Jiffies grown_;   ///< As we say
};

}  // namespace csink::mic

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sampling/thread_registry.h"
#include "profil/format/format.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// What is in no sample: CPU time by cause (spool::Loss), and records that the kernel dropped or
/// throttled, by event. `event` is the number of the event's column, below kMaxEventSpecs.
///
/// Threads: one at a time (the collector's lock).
/// Signals: safe; no system call.
class Losses {
 public:
  /// CPU time in ns without samples, by cause. Add: for causes that are found piece by piece. Set:
  /// for causes that are computed anew from sums.
  std::uint64_t ns(spool::Loss cause) const noexcept { return ns_[Index(cause)]; }
  void Add(spool::Loss cause, std::uint64_t ns) noexcept { ns_[Index(cause)] += ns; }
  void Set(spool::Loss cause, std::uint64_t ns) noexcept { ns_[Index(cause)] = ns; }
  /// The sum of all causes except kUnexplained, which is the last one.
  std::uint64_t ExplainedNs() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < Index(spool::Loss::kUnexplained); ++i) sum += ns_[i];
    return sum;
  }

  /// Samples of an event that the kernel reported as dropped.
  std::uint64_t lost_records(std::size_t event) const noexcept { return lost_records_[event]; }
  /// How often the kernel throttled an event.
  std::uint64_t throttled(std::size_t event) const noexcept { return throttled_[event]; }
  void AddRecords(std::size_t event, std::uint64_t count) noexcept {
    lost_records_[event] += count;
  }
  void AddThrottled(std::size_t event) noexcept { ++throttled_[event]; }

  /// Writes the CPU times into a header.
  void StoreNs(spool::Header& header) const noexcept {
    for (std::size_t i = 0; i < spool::kLossCauses; ++i) StoreLive(header.lost_ns[i], ns_[i]);
  }
  /// Writes the numbers of records into the header's event columns.
  void StoreRecords(spool::Header& header) const noexcept {
    for (std::size_t i = 0; i < header.event_count; ++i) {
      StoreLive(header.events[i].lost_records, lost_records_[i]);
      StoreLive(header.events[i].throttled, throttled_[i]);
    }
  }

 private:
  static constexpr std::size_t Index(spool::Loss cause) noexcept {
    return static_cast<std::size_t>(cause);
  }

  std::uint64_t ns_[spool::kLossCauses] = {};
  std::uint64_t lost_records_[kMaxEventSpecs] = {};
  std::uint64_t throttled_[kMaxEventSpecs] = {};
};

}  // namespace csink

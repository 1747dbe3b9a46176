#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compat/papi/profiling/caller_histogram.h"
#include "core/perf/kernel.h"
#include "core/perf/ring_buffer.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"

namespace csink {

/// Losses that the records of the rings report, since the profiler was made.
struct RingLosses {
  std::uint64_t lost = 0;       ///< Samples dropped because the ring was full
  std::uint64_t throttled = 0;  ///< How often the kernel throttled an event
};

/// Moves samples from the rings of running counters into callers' histograms. Implements
/// PAPI_profil and PAPI_sprofil for events that the kernel does not throttle
/// (docs/design/overflow.md). Samples do not interrupt the program; Drain is called by a timer on
/// the CPU clock of the counted thread, and whenever the histograms must be complete.
///
/// Owns:    the rings' mappings, a share of the histograms; not the descriptors.
/// Threads: Map and Unmap: one at a time, while no timer calls Drain. Drain: any number; one drains
///          and the others wait. A handler that interrupts a drain on its own thread returns at
///          once (the interrupted drain continues with all records).
/// Signals: Drain is safe (ring_profiler_signal.cpp).
class RingProfiler {
 public:
  explicit RingProfiler(Kernel& kernel) noexcept : kernel_(kernel) {}
  ~RingProfiler() { Unmap(); }
  RingProfiler(const RingProfiler&) = delete;
  RingProfiler& operator=(const RingProfiler&) = delete;

  /// Maps a ring of up to `ring_bytes` (a power of two; smaller if the limit of locked memory is
  /// reached) for the sampling event `fd`. Its samples go to `histogram`, by PC or, with
  /// `by_data_address`, by data address (records then contain both). Errors: kLimit, or that of
  /// mmap(2); rings that were mapped before stay.
  Result<void> Map(int fd, std::size_t ring_bytes, std::shared_ptr<CallerHistogram> histogram,
                   bool by_data_address);
  /// Moves all records from the rings to the histograms. Keeps errno.
  void Drain() noexcept;
  /// Drains for the last time and unmaps.
  void Unmap() noexcept;
  /// For a forked child, where the mappings do not exist: forgets all rings without unmapping.
  void ForgetAfterFork() noexcept;

  /// The losses up to the last drain.
  RingLosses losses() const noexcept { return losses_; }

 private:
  struct Source {
    /// One sampled event.
    RingBuffer ring;
    std::shared_ptr<CallerHistogram> histogram;
    /// Offset of the histogram's address in a sample record
    std::size_t address_offset;
  };
  /// Drain, with lock_ held.
  void DrainLocked() noexcept;

  Kernel& kernel_;
  FutexLock lock_;
  std::vector<Source> sources_;  ///< Changes only while the timer is stopped
  RingLosses losses_;
};

/// The ring of an event with a moderate rate: 64 KiB are 4,096 samples.
inline constexpr std::size_t kProfileRingBytes = 64 * 1024;

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/perf/kernel.h"
#include "core/perf/ring_buffer.h"
#include "core/util/futex_lock.h"
#include "core/util/result.h"
#include "profil/caller/caller_histogram.h"

namespace csink {

/// What the rings told beside the samples.
struct RingLosses {
  std::uint64_t lost = 0;       ///< Samples that found no room
  std::uint64_t throttled = 0;  ///< Times the kernel paused an event because it came too often
};

/// Moves samples from the rings of running counters into callers' histograms: the engine of
/// PAPI_profil and PAPI_sprofil. Nobody is interrupted by a sample; Drain is called by a timer on
/// the counted thread's own CPU clock, and whenever the histograms are to be complete.
///
/// Owns:    the rings' mappings, a share of the histograms; not the descriptors.
/// Threads: Map and Unmap: one at a time. Drain: any number, one works and the rest wait;
///          a handler that interrupts its own thread's drain leaves at once (the interrupted one
///          goes on with what is there).
/// Signals: Drain is safe (ring_profiler_signal.cpp).
class RingProfiler {
 public:
  explicit RingProfiler(Kernel& kernel) noexcept : kernel_(kernel) {}
  ~RingProfiler() { Unmap(); }
  RingProfiler(const RingProfiler&) = delete;
  RingProfiler& operator=(const RingProfiler&) = delete;

  /// Maps a ring of up to `ring_bytes` (a power of two; less when the budget of locked memory is
  /// spent) on the sampling event `fd`, whose samples go to `histogram` by their PC or, with
  /// `by_data_address`, by the address of the data (then records hold both).
  /// Fails with kLimit or what mmap said; rings mapped before stay.
  Result<void> Map(int fd, std::size_t ring_bytes, std::shared_ptr<CallerHistogram> histogram,
                   bool by_data_address);
  /// Empties the rings into the histograms.
  void Drain() noexcept;
  /// Drains for the last time and unmaps.
  void Unmap() noexcept;
  /// In a forked child: the mappings do not exist there.
  void ForgetAfterFork() noexcept;

  RingLosses losses() const noexcept { return losses_; }

 private:
  struct Source {
    RingBuffer ring;
    std::shared_ptr<CallerHistogram> histogram;
    std::size_t address_offset;
  };
  void DrainLocked() noexcept;

  Kernel& kernel_;
  FutexLock lock_;
  std::vector<Source> sources_;  ///< Changes only while no timer ticks
  RingLosses losses_;
};

/// The ring of an event with a moderate rate: 64 KiB are 4,096 samples.
inline constexpr std::size_t kProfileRingBytes = 64 * 1024;

}  // namespace csink

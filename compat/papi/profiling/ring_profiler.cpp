#include "compat/papi/profiling/ring_profiler.h"

#include <utility>

/// File: what a RingProfiler does outside of handlers: mapping and unmapping, which use the heap.
/// The timer that calls Drain is stopped meanwhile, so that sources_ needs no lock here.

namespace csink {

Result<void> RingProfiler::Map(int fd, std::size_t ring_bytes,
                               std::shared_ptr<CallerHistogram> histogram, bool by_data_address) {
  Source source{{}, std::move(histogram), by_data_address ? kSampleSecond : kSamplePc};
  // MapAtMost tries smaller rings where locked memory is short.
  Result<void> mapped = source.ring.MapAtMost(kernel_, fd, ring_bytes);
  if (mapped) sources_.push_back(std::move(source));
  return mapped;
}

void RingProfiler::Unmap() noexcept {
  // The records behind the last tick of the timer would be lost with the mapping.
  Drain();
  for (Source& source : sources_) source.ring.Unmap(kernel_);
  sources_.clear();
}

void RingProfiler::ForgetAfterFork() noexcept {
  // A thread of the parent may have held the lock at the fork; it does not exist in the child.
  lock_.ResetAfterFork();
  for (Source& source : sources_) source.ring.Forget();
  sources_.clear();
}

}  // namespace csink

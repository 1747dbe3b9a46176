#include "profil/caller/ring_profiler.h"

#include <utility>

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
  Drain();
  for (Source& source : sources_) source.ring.Unmap(kernel_);
  sources_.clear();
}

void RingProfiler::ForgetAfterFork() noexcept {
  lock_.ResetAfterFork();
  for (Source& source : sources_) source.ring.Forget();
  sources_.clear();
}

}  // namespace csink

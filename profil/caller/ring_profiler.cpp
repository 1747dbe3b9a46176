#include "profil/caller/ring_profiler.h"

#include <errno.h>

#include <utility>

namespace csink {
namespace {

// perf_event_open(2): a sample begins with its header, then the PC, then the data address.
constexpr std::size_t kPcOffset = 8;
constexpr std::size_t kDataOffset = 16;

}  // namespace

Result<void> RingProfiler::Map(int fd, std::size_t ring_bytes,
                               std::shared_ptr<CallerHistogram> histogram, bool by_data_address) {
  Source source{{}, std::move(histogram), by_data_address ? kDataOffset : kPcOffset};
  Result<void> mapped = Error{Errc::kLimit, ENOMEM, "no ring"};
  for (std::size_t bytes = ring_bytes; bytes >= PageBytes(); bytes /= 2) {
    mapped = source.ring.Map(kernel_, fd, bytes);
    // Only a spent budget can be answered with a smaller ring.
    if (mapped || (mapped.error().sys_errno != EPERM && mapped.error().sys_errno != ENOMEM)) break;
  }
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

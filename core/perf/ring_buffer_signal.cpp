#include <errno.h>
#include <sys/auxv.h>

#include <cstring>

#include "core/machine/valgrind.h"
#include "core/perf/ring_buffer.h"
#include "core/perf/user_read.h"

// File: the reader's half of the protocol of perf_event_open(2): the kernel moves the head, the
// reader the tail, and the control page has the event's own times and count.

namespace csink {
namespace {

// A bound for the seqlock loop: if the page stays locked, a stale snapshot is better than a hanging
// handler.
constexpr int kMostTries = 64;

}  // namespace

std::size_t PageBytes() noexcept {
  static std::size_t bytes = 0;  // a plain static: racing threads store the same value
  std::size_t page = __atomic_load_n(&bytes, __ATOMIC_RELAXED);
  if (page == 0) {
    page = getauxval(AT_PAGESZ);
    __atomic_store_n(&bytes, page, __ATOMIC_RELAXED);
  }
  return page;
}

// The bytes must lie inside the record, which the callers check, and so inside the ring.
void RingRecord::Copy(std::size_t offset, void* out, std::size_t n) const noexcept {
  const std::uint64_t from = (at_ + offset) & mask_;
  const std::uint64_t until_end = mask_ + 1 - from;
  if (n <= until_end) {
    std::memcpy(out, data_ + from, n);
  } else {
    std::memcpy(out, data_ + from, until_end);
    std::memcpy(static_cast<unsigned char*>(out) + until_end, data_, n - until_end);
  }
}

Result<void> RingBuffer::Map(Kernel& kernel, int fd, std::size_t data_bytes) noexcept {
  // One page of control data, then the ring (perf_event_open(2), "MMAP layout").
  const long r = kernel.MapRing(fd, PageBytes() + data_bytes);
  // An address may be "negative" as a long; only the last 4095 values are errors.
  if (r < 0 && r > -4096) {
    const int error = static_cast<int>(-r);
    // perf answers EPERM where the limit of locked memory is reached; the event itself was granted.
    if (error == EPERM) {
      return Error{Errc::kLimit, error,
                   "the limit of locked memory is reached (perf_event_mlock_kb, ulimit -l)"};
    }
    return Error{ErrcFromErrno(error), error, "the ring could not be mapped"};
  }
  base_ = reinterpret_cast<void*>(r);
  data_bytes_ = static_cast<std::uint32_t>(data_bytes);
  return {};
}

Result<void> RingBuffer::MapAtMost(Kernel& kernel, int fd, std::size_t data_bytes) noexcept {
  Result<void> mapped = Error{Errc::kLimit, ENOMEM, "the event has no ring buffer"};
  // Halves stay powers of two, which the kernel requires of the data pages.
  for (std::size_t bytes = data_bytes; bytes >= PageBytes(); bytes /= 2) {
    mapped = Map(kernel, fd, bytes);
    // A smaller ring helps only where locked memory is short.
    if (mapped || (mapped.error().sys_errno != EPERM && mapped.error().sys_errno != ENOMEM)) break;
  }
  return mapped;
}

void RingBuffer::Unmap(Kernel& kernel) noexcept {
  if (base_) kernel.Unmap(base_, PageBytes() + data_bytes_);
  base_ = nullptr;
}

const unsigned char* RingBuffer::data() const noexcept {
  return static_cast<const unsigned char*>(base_) + PageBytes();
}

// Acquire: the records before the head must not be read before the head itself. Release: they must
// have been read before the kernel may overwrite them. The tail is written by the reader alone.
std::uint64_t RingBuffer::LoadHead() const noexcept {
  return __atomic_load_n(&page()->data_head, __ATOMIC_ACQUIRE);
}
// An atomic load: another thread's ring may have been at this address.
std::uint64_t RingBuffer::LoadTail() const noexcept {
  return __atomic_load_n(&page()->data_tail, __ATOMIC_RELAXED);
}
void RingBuffer::StoreTail(std::uint64_t tail) noexcept {
  __atomic_store_n(&page()->data_tail, tail, __ATOMIC_RELEASE);
}

std::uint64_t RingBuffer::pending_bytes() const noexcept {
  return base_ ? LoadHead() - LoadTail() : 0;
}

RingBuffer::Progress RingBuffer::progress() const noexcept {
  Progress now;
  if (!base_) return now;
  // A seqlock: the kernel may be writing the page on another processor. The protocol is described
  // at perf_event_mmap_page.lock in linux/perf_event.h.
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::uint32_t sequence = __atomic_load_n(&page()->lock, __ATOMIC_ACQUIRE);
    // Acquire loads, so that the second load of the lock stays behind them. An acquire fence would
    // do the same, but ThreadSanitizer does not support fences.
    now.enabled_ns = __atomic_load_n(&page()->time_enabled, __ATOMIC_ACQUIRE);
    now.running_ns = __atomic_load_n(&page()->time_running, __ATOMIC_ACQUIRE);
    now.count = static_cast<std::uint64_t>(__atomic_load_n(&page()->offset, __ATOMIC_ACQUIRE));
    now.has_count = __atomic_load_n(&page()->index, __ATOMIC_ACQUIRE) == 0;
    if ((sequence & 1) == 0 && __atomic_load_n(&page()->lock, __ATOMIC_RELAXED) == sequence) break;
  }
  return now;
}

bool RingBuffer::OwnCount(std::uint64_t& count) const noexcept {
  if (!base_) return false;
  RawCount now;
  // valgrind's synthetic processor does not implement rdpmc.
  if (!RunsOnValgrind() && UserRead(*page(), NativeCounterInstructions(), false, now)) {
    count = now.value;
    return true;
  }
  const Progress last = progress();
  count = last.count;
  return last.has_count;
}

}  // namespace csink

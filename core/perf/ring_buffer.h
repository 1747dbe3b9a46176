#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// Where the fields of our records lie, behind perf_event_header. A sample has its PC, then the
/// data address, the period or the count if it has one of them. Source: perf_event_open(2).
inline constexpr std::size_t kSamplePc = 8;
inline constexpr std::size_t kSampleSecond = 16;
inline constexpr std::size_t kLostCount = 16;
inline constexpr std::size_t kThrottleTime = 8;  ///< THROTTLE, UNTHROTTLE: ns of perf's clock

/// One record inside a ring, possibly wrapped round its end. Valid until the
/// next record is asked for.
class RingRecord {
 public:
  RingRecord() = default;
  RingRecord(const unsigned char* data, std::uint64_t mask, std::uint64_t at) noexcept
      : data_(data), mask_(mask), at_(at) {
    Copy(0, &header_, sizeof header_);
  }
  std::uint32_t type() const noexcept { return header_.type; }
  std::uint16_t misc() const noexcept { return header_.misc; }
  std::uint16_t size_bytes() const noexcept { return header_.size; }
  /// The 64 bits at `offset` from the record's start; 0 behind its end.
  std::uint64_t U64(std::size_t offset) const noexcept {
    std::uint64_t v = 0;
    if (offset + sizeof v > header_.size) return v;
    const std::uint64_t from = (at_ + offset) & mask_;
    if (from + sizeof v <= mask_ + 1) {
      __builtin_memcpy(&v, data_ + from, sizeof v);  // one load: chains are full of them
    } else {
      Copy(offset, &v, sizeof v);
    }
    return v;
  }
  std::uint32_t U32(std::size_t offset) const noexcept {
    std::uint32_t v = 0;
    if (offset + sizeof v <= header_.size) Copy(offset, &v, sizeof v);
    return v;
  }
  /// Copies up to `n` bytes from `offset`; returns how many there were.
  std::size_t Bytes(std::size_t offset, void* out, std::size_t n) const noexcept {
    if (offset >= header_.size) return 0;
    if (n > header_.size - offset) n = header_.size - offset;
    Copy(offset, out, n);
    return n;
  }
  /// Where `n` bytes from `offset` lie: in one piece, or in two round the ring's end. Nothing when
  /// they are not all in the record.
  struct Pieces {
    const unsigned char* first;
    const unsigned char* rest;
    std::size_t first_bytes;
  };
  Pieces Look(std::size_t offset, std::size_t n) const noexcept {
    if (offset > header_.size || n > header_.size - offset || header_.size > mask_ + 1) return {};
    const std::uint64_t from = (at_ + offset) & mask_;
    const std::uint64_t until_end = mask_ + 1 - from;
    return {data_ + from, data_, n < until_end ? n : static_cast<std::size_t>(until_end)};
  }

 private:
  void Copy(std::size_t offset, void* out, std::size_t n) const noexcept;

  const unsigned char* data_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t at_ = 0;
  perf_event_header header_ = {};
};

/// A perf ring: one page of control, then 2^n pages of data written by the
/// kernel and read by us.
///
/// Why no descriptor is kept: the mapping alone keeps the event alive and
/// counting, so nothing can be closed under us, leak over exec or be inherited.
/// The price: no pause and no rate change; re-open instead.
///
/// Owns:    the mapping (not RAII: it lives in a slot of static storage and a
///          forked child must forget it without unmapping; see Forget).
/// Threads: one reader at a time (the slot's lock); the kernel writes.
/// Signals: safe (ring_buffer_signal.cpp).
class RingBuffer {
 public:
  /// Maps `data_bytes` (a power of two >= one page) of `fd`.
  /// Fails with kLimit (EPERM: the mlock limit; ENOMEM) or what mmap says.
  Result<void> Map(Kernel& kernel, int fd, std::size_t data_bytes) noexcept;
  /// The same, or half of it, a quarter, ... down to one page: when the budget of locked memory is
  /// spent, a smaller ring may still fit. Fails as Map does.
  Result<void> MapAtMost(Kernel& kernel, int fd, std::size_t data_bytes) noexcept;
  void Unmap(Kernel& kernel) noexcept;
  /// After fork: the kernel does not copy ring mappings into the child.
  void Forget() noexcept { base_ = nullptr; }

  bool mapped() const noexcept { return base_ != nullptr; }
  std::size_t data_bytes() const noexcept { return data_bytes_; }
  /// Bytes written and not yet read.
  std::uint64_t pending_bytes() const noexcept;
  /// From the control page, as of the kernel's last update. The kernel updates the page when the
  /// event goes on or off its counter, at each overflow, and in frequency mode at each tick in
  /// which it is on its counter. While the event waits for a counter the page stands still.
  struct Progress {
    std::uint64_t enabled_ns = 0;  ///< Time that the event was wanted
    std::uint64_t running_ns = 0;  ///< Time that it had a counter
    /// Events counted. Not known (`has_count` false) while the event is on a counter that programs
    /// may read: the kernel then leaves the rest to rdpmc, see OwnCount.
    std::uint64_t count = 0;
    bool has_count = false;
  };
  Progress progress() const noexcept;
  /// What an event of the calling thread has counted up to now. False: not to be had.
  /// Threads: the one that the event counts.
  bool OwnCount(std::uint64_t& count) const noexcept;

  /// Calls `visit(const RingRecord&)` for everything written so far, then gives
  /// the space back. Records with impossible sizes end the walk and discard.
  template <class Visit>
  void Drain(Visit&& visit) noexcept {
    Drain(visit, [] {});
  }
  /// The same; `then()` is called before the space is given back: records are still valid in it.
  template <class Visit, class Then>
  void Drain(Visit&& visit, Then&& then) noexcept {
    const std::uint64_t head = LoadHead();
    std::uint64_t tail = LoadTail();
    while (tail < head) {
      const RingRecord record(data(), data_bytes_ - 1, tail);
      if (record.size_bytes() < sizeof(perf_event_header) || record.size_bytes() > head - tail) {
        break;
      }
      visit(record);
      tail += record.size_bytes();
    }
    then();
    StoreTail(head);
  }

 private:
  const unsigned char* data() const noexcept;
  std::uint64_t LoadHead() const noexcept;
  std::uint64_t LoadTail() const noexcept;
  void StoreTail(std::uint64_t tail) noexcept;
  perf_event_mmap_page* page() const noexcept { return static_cast<perf_event_mmap_page*>(base_); }

  void* base_ = nullptr;
  std::uint32_t data_bytes_ = 0;
};

/// The machine's page size in bytes, from the auxiliary vector.
std::size_t PageBytes() noexcept;

}  // namespace csink

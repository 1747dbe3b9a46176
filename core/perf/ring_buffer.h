#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// Offsets of the fields in the records that we ask for, in bytes from the record's start (after
/// perf_event_header). A sample holds the PC, then the data address, the period or the count where
/// one of them was asked for. With PERF_SAMPLE_TIME the time stands between the two. Source:
/// perf_event_open(2), "MMAP layout".
inline constexpr std::size_t kSamplePc = 8;
inline constexpr std::size_t kSampleSecond = 16;
inline constexpr std::size_t kSampleTime = 16;
inline constexpr std::size_t kTimeBytes = 8;
inline constexpr std::size_t kLostCount = 16;
/// With sample_id_all and PERF_SAMPLE_TIME
inline constexpr std::size_t kLostTime = 24;
inline constexpr std::size_t kSwitchTime = 8;
inline constexpr std::size_t kThrottleTime = 8;  ///< Of THROTTLE and UNTHROTTLE: ns of perf's clock

/// One record in a ring; it may wrap around the ring's end. Valid during the visit of
/// RingBuffer::Drain that passes it: afterwards the kernel may overwrite it. Reads outside the
/// record return 0 and never touch other memory. Signals: safe.
class RingRecord {
 public:
  RingRecord() = default;
  RingRecord(const unsigned char* data, std::uint64_t mask, std::uint64_t at) noexcept
      : data_(data), mask_(mask), at_(at) {
    Copy(0, &header_, sizeof header_);
  }
  /// PERF_RECORD_*.
  std::uint32_t type() const noexcept { return header_.type; }
  /// PERF_RECORD_MISC_*.
  std::uint16_t misc() const noexcept { return header_.misc; }
  /// Of the whole record with its header. Comes from the ring: may be any value until Drain has
  /// checked it.
  std::uint16_t size_bytes() const noexcept { return header_.size; }
  /// The 64 bits at `offset` bytes from the record's start; 0 where they are not all inside the
  /// record.
  std::uint64_t U64(std::size_t offset) const noexcept {
    std::uint64_t v = 0;
    if (offset + sizeof v > header_.size) return v;
    const std::uint64_t from = (at_ + offset) & mask_;
    if (from + sizeof v <= mask_ + 1) {
      __builtin_memcpy(&v, data_ + from, sizeof v);  // one load: call chains consist of such fields
    } else {
      Copy(offset, &v, sizeof v);
    }
    return v;
  }
  /// The 32 bits at `offset`; 0 as for U64.
  std::uint32_t U32(std::size_t offset) const noexcept {
    std::uint32_t v = 0;
    if (offset + sizeof v <= header_.size) Copy(offset, &v, sizeof v);
    return v;
  }
  /// Copies up to `n` bytes from `offset` to `out`, which has room for `n`. Returns the number of
  /// bytes copied, 0 where `offset` is behind the record.
  std::size_t Bytes(std::size_t offset, void* out, std::size_t n) const noexcept {
    if (offset >= header_.size) return 0;
    if (n > header_.size - offset) n = header_.size - offset;
    Copy(offset, out, n);
    return n;
  }
  /// Where `n` bytes from `offset` lie in memory: in one piece, or in two where they wrap around
  /// the ring's end. All fields are 0 where the bytes are not all inside the record.
  struct Pieces {
    const unsigned char* first;
    const unsigned char* rest;  ///< The second piece: `n` - `first_bytes` bytes at the ring's start
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

  /// The ring's data pages; `mask_` is their size minus one, `at_` the record's position in the
  /// stream of bytes, which grows without end.
  const unsigned char* data_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t at_ = 0;
  perf_event_header header_ = {};
};

/// A perf ring buffer: one control page, then 2^n data pages that the kernel writes and we read.
///
/// No descriptor is kept. The mapping alone keeps the event open and counting, so the program
/// cannot close a descriptor of ours, and none leaks through exec. The price: without a descriptor
/// the event can neither be paused nor get another rate; it must be opened again.
///
///   const Result<void> mapped = ring.MapAtMost(kernel, fd, kBytes);
///   kernel.Close(fd);  // the mapping keeps the event open
///   ...
///   ring.Drain([&](const RingRecord& record) { Take(record); });
///
/// Owns:    the mapping, but without a destructor: the object lies in a slot of static storage, and
/// a forked child must give up the mapping without unmapping it (Forget).
/// Threads: one reader at a time (the slot's lock); the kernel writes.
/// Signals: safe (ring_buffer_signal.cpp).
class RingBuffer {
 public:
  /// Maps a ring with `data_bytes` of data (a power of two, at least one page) of event `fd`. The
  /// caller may close `fd` afterwards. The object must not hold a ring already: that ring would be
  /// lost.
  /// Errors: kLimit (EPERM: the limit of locked memory is reached; ENOMEM); otherwise ErrcFromErrno
  /// of what mmap(2) returned (EINVAL: the event has a mapping of another size already, or is
  /// inherited).
  Result<void> Map(Kernel& kernel, int fd, std::size_t data_bytes) noexcept;
  /// The same with `data_bytes`, or half of it, a quarter, and so on down to one page: where the
  /// limit of locked memory is nearly reached, a smaller ring may still fit. Errors as Map.
  Result<void> MapAtMost(Kernel& kernel, int fd, std::size_t data_bytes) noexcept;
  /// Unmaps the ring, if there is one. Where its descriptor is closed, this ends the event. Records
  /// that were not drained are lost.
  void Unmap(Kernel& kernel) noexcept;
  /// Gives up the ring without unmapping it. For a forked child, into which the kernel does not
  /// copy ring mappings.
  void Forget() noexcept { base_ = nullptr; }

  bool mapped() const noexcept { return base_ != nullptr; }
  /// Bytes of the data pages as mapped, which after MapAtMost may be less than asked for.
  std::size_t data_bytes() const noexcept { return data_bytes_; }
  /// Bytes that the kernel has written and that were not yet drained; 0 without a ring. A cheap
  /// check whether a drain is worth while.
  std::uint64_t pending_bytes() const noexcept;
  /// The event's progress, from the control page as of the kernel's last update. The kernel updates
  /// the page when the event goes on or off its counter, at each overflow, and in frequency mode at
  /// each tick in which the event is on its counter. While the event waits for a counter the page
  /// does not change.
  struct Progress {
    std::uint64_t enabled_ns = 0;  ///< Time that the event was enabled
    std::uint64_t running_ns = 0;  ///< Time that the event was on a counter
    /// Events counted. Unknown (`has_count` false) while the event is on a counter that user space
    /// may read: the page then holds only a part of the count, and rdpmc has the rest (OwnCount).
    std::uint64_t count = 0;
    bool has_count = false;
  };
  /// All zero, with `has_count` false, without a ring.
  Progress progress() const noexcept;
  /// Stores what an event of the calling thread has counted up to now; reads the counter by rdpmc
  /// where that is permitted. Returns false if the count is not available without a system call.
  /// Threads: the one that the event counts.
  bool OwnCount(std::uint64_t& count) const noexcept;

  /// Calls `visit(const RingRecord&)` for each record written so far, then gives the space back to
  /// the kernel. A record with an impossible size ends the walk, and the rest up to the head is
  /// discarded: the start of the next record is then unknown.
  template <class Visit>
  void Drain(Visit&& visit) noexcept {
    Drain(visit, [] {});
  }
  /// The same; calls `then()` before the space is given back, while all visited records are still
  /// valid.
  template <class Visit, class Then>
  void Drain(Visit&& visit, Then&& then) noexcept {
    const std::uint64_t head = Walk(visit);
    then();
    StoreTail(head);
  }
  /// The same for a ring that is unmapped next: no space is given back. The first store to a ring
  /// costs a page fault.
  template <class Visit>
  void DrainLast(Visit&& visit) noexcept {
    Walk(visit);
  }

 private:
  /// Visits the records written so far; returns the position behind the last one.
  template <class Visit>
  std::uint64_t Walk(Visit& visit) noexcept {
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
    return head;
  }
  const unsigned char* data() const noexcept;
  /// data_head is written by the kernel, data_tail by us (perf_event_mmap_page in
  /// linux/perf_event.h). Both only grow; their difference is the bytes in the ring.
  std::uint64_t LoadHead() const noexcept;
  std::uint64_t LoadTail() const noexcept;
  void StoreTail(std::uint64_t tail) noexcept;
  perf_event_mmap_page* page() const noexcept { return static_cast<perf_event_mmap_page*>(base_); }

  /// The control page, followed by the data pages; nullptr: no ring.
  void* base_ = nullptr;
  std::uint32_t data_bytes_ = 0;
};

/// The machine's page size in bytes (AT_PAGESZ of the auxiliary vector, getauxval(3)): 4096 on
/// x86-64, 4096 to 65536 on aarch64. Signals: safe.
std::size_t PageBytes() noexcept;

}  // namespace csink

#include <errno.h>

#include "core/overflow/ring_source.h"

namespace csink {
namespace {

constexpr std::size_t kMainBytes = 64 * 1024;
constexpr std::size_t kThreadBytes = 16 * 1024;
constexpr std::size_t kManyThreadBytes = 8 * 1024;
constexpr std::size_t kManyThreads = 64;

}  // namespace

std::size_t RingSource::RingBytes(bool main_thread, std::size_t threads) noexcept {
  const std::size_t wanted =
      main_thread ? kMainBytes : (threads > kManyThreads ? kManyThreadBytes : kThreadBytes);
  return wanted < PageBytes() ? PageBytes() : wanted;
}

Result<void> RingSource::ArmEvent(ThreadSlot& slot, pid_t tid, std::size_t event) noexcept {
  SamplingOptions options;
  options.record_mappings = event == 0;
  perf_event_attr attr = MakeSamplingAttr(events_.events[event], options);
  Result<int> fd = ladders_[event].Open(kernel_, attr, tid);
  if (!fd) return fd.error();
  Result<void> mapped =
      slot.rings[event].MapAtMost(kernel_, *fd, RingBytes(slot.is_main, threads_));
  // Another thread of the program may have closed everything meanwhile, and opened a
  // file of its own under our number: then neither mapping nor descriptor is ours.
  if (kernel_.CheckEvent(*fd) < 0) {
    slot.rings[event].Unmap(kernel_);
    return Error{Errc::kLimit, EBADF, "the program closed the event"};
  }
  // The mapping keeps the event alive; see RingBuffer.
  kernel_.Close(*fd);
  return mapped;
}

Result<void> RingSource::Arm(ThreadSlot& slot, pid_t tid) noexcept {
  for (std::size_t event = 0; event < events_.count; ++event) {
    const Result<void> armed = ArmEvent(slot, tid, event);
    if (!armed) {
      failed_event_ = event;
      while (event > 0) slot.rings[--event].Unmap(kernel_);
      return armed.error();
    }
  }
  slot.ring_count = static_cast<std::uint8_t>(events_.count);
  return {};
}

void RingSource::Disarm(ThreadSlot& slot) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) slot.rings[event].Unmap(kernel_);
  slot.ring_count = 0;
}

void RingSource::Drain(ThreadSlot& slot, SampleSink& sink) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    RingBuffer& ring = slot.rings[event];
    if (ring.pending_bytes() == 0) continue;
    const std::uint64_t period = events_.events[event].period;
    ring.Drain([&](const RingRecord& record) {
      switch (record.type()) {
        case PERF_RECORD_SAMPLE:
          sink.OnSample(slot, event, record.U64(kSamplePc),
                        period != 0 ? period : record.U64(kSampleSecond));
          break;
        case PERF_RECORD_MMAP2:
        case PERF_RECORD_MMAP:
          sink.OnMapping(record);
          break;
        case PERF_RECORD_LOST:
          sink.OnLost(slot, event, record.U64(kLostCount));
          break;
        case PERF_RECORD_THROTTLE:
          sink.OnThrottled(event);
          break;
        default:
          break;
      }
    });
  }
}

}  // namespace csink

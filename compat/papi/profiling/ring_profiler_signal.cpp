#include "compat/papi/profiling/ring_profiler.h"
#include "core/util/thread_id.h"

/// File: draining, which a timer's handler and the program's own calls do at the same time.

namespace csink {

void RingProfiler::Drain() noexcept {
  const pid_t tid = AskTid();
  // A handler interrupted a drain on this thread: waiting for the lock would never end, and the
  // interrupted drain reads the remaining records.
  if (lock_.HeldBy(tid)) return;
  lock_.Lock(tid);
  DrainLocked();
  lock_.Unlock();
}

void RingProfiler::DrainLocked() noexcept {
  for (Source& source : sources_) {
    // Most ticks find some rings empty. Asking reads one word of the shared page.
    if (source.ring.pending_bytes() == 0) continue;
    source.ring.Drain([&](const RingRecord& record) {
      switch (record.type()) {
        case PERF_RECORD_SAMPLE:
          source.histogram->AddHit(record.U64(source.address_offset), 1);
          break;
          // A ring that was full: the kernel counts what it dropped, and writes the record when
          // there is room again.
        case PERF_RECORD_LOST:
          losses_.lost += record.U64(kLostCount);
          break;
        case PERF_RECORD_THROTTLE:
          ++losses_.throttled;
          break;
        default:
          break;
      }
    });
  }
}

}  // namespace csink

#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// What the ring of one event should record.
struct SamplingOptions {
  bool record_mappings = false;    ///< MMAP2 records: one event of a thread is enough
  std::uint64_t first_period = 0;  ///< FirstPeriod::period(): instead of the event's; the count is
                                   ///< recorded behind the PC, and the event is off until told
  std::uint32_t wakeup_bytes = 0;  ///< 0: half the ring, whatever size mmap got
  std::uint32_t stack_bytes = 0;   ///< > 0: what StackSample reads, with so much of the stack
};

/// The attribute for sampling `spec` into a ring: records of the PC alone (with
/// the period in frequency mode), user space unless asked otherwise, on from the
/// start, gone at exec.
perf_event_attr MakeSamplingAttr(const EventSpec& spec, const SamplingOptions& options) noexcept;

/// Opens events on kernels older than our attribute bits, and on PMUs that do
/// not have the precision we ask for. What the first success had to give up is
/// remembered, so later opens succeed at once; a failure leaves no trace.
///
/// Order of giving up, on EINVAL, E2BIG, EOPNOTSUPP or ENOENT: precision 3, 2, 1, 0 (hardware
/// events); then on EINVAL or E2BIG remove_on_exec (Linux 5.13), build-ids in mapping records
/// (5.12), the depth of call chains (4.8), then mmap2 (3.16), each time with the precision tried
/// anew from the top. EOVERFLOW means that kernel.perf_event_max_stack is below the depth we ask
/// for: the kernel's own serves. RHEL 8's 4.18 ends with mmap2 and its precision kept. Threads:
/// any; the memory is a hint, races only cost another try. Signals: safe.
class AttributeLadder {
 public:
  /// Fails with kPermission, kNoEvent, kLimit (EMFILE), kConflict, kInvalid,
  /// kUnsupported or kSystem. `attr` holds what was opened afterwards.
  Result<int> Open(Kernel& kernel, perf_event_attr& attr, pid_t tid) noexcept;

  /// precise_ip that the last successful open had.
  unsigned precise_obtained() const noexcept { return precise_.load(std::memory_order_relaxed); }
  /// precise_ip that it had asked for, and the errno of the last one that was refused; 0: none was.
  unsigned precise_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
  int precise_refusal() const noexcept { return refusal_.load(std::memory_order_relaxed); }

 private:
  std::atomic<unsigned char> dropped_{0};
  std::atomic<unsigned char> precise_{0};
  std::atomic<bool> precise_known_{false};
  std::atomic<unsigned char> asked_{0};
  std::atomic<int> refusal_{0};
};

}  // namespace csink

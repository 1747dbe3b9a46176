#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// What the ring of one event should record, besides the program counter, and when.
struct SamplingOptions {
  bool record_mappings = false;    ///< MMAP2 records; one event of each thread is enough
  std::uint64_t first_period = 0;  ///< FirstPeriod::period(), used instead of the event's own
                                   ///< period. Samples then hold the count after the PC, and the
                                   ///< event starts disabled. 0: the event's own period
  std::uint32_t wakeup_bytes = 0;  ///< Wake-up watermark; 0: half of the ring, whatever its size
  std::uint32_t stack_bytes = 0;   ///< > 0: record what StackSample reads, with so many stack bytes
  bool timed = false;              ///< Records hold their time (CLOCK_MONOTONIC): a sample behind
                                   ///< the PC, others as their last 8 bytes (sample_id_all)
  bool record_switches = false;    ///< PERF_RECORD_SWITCH; one event of each thread is enough
};

/// The attribute for sampling `spec` into a ring. Records hold the PC alone (in frequency mode also
/// the period, with a first period also the count). Samples user space unless `spec` asks for more;
/// enabled from the start (but see first_period); removed at exec, so that a new image is not
/// sampled into a ring that no thread drains. Signals: safe.
perf_event_attr MakeSamplingAttr(const EventSpec& spec, const SamplingOptions& options) noexcept;

/// Opens events on kernels that do not know all of our attribute bits and on PMUs that lack the
/// precision asked for. What had to be left out in the first successful open is remembered, so that
/// later opens succeed at the first try. A failed open changes nothing.
///
/// What is left out, in this order:
/// * On EINVAL, E2BIG, EOPNOTSUPP or ENOENT: precision 3, 2, 1, 0 (hardware events only).
/// * Then on EINVAL or E2BIG: remove_on_exec (Linux 5.13), build-ids in mapping records (5.12), the
///   depth of call chains (4.8), mmap2 (3.16); at each step the precisions are tried again from the
///   highest.
/// * On EOVERFLOW: the depth of call chains, because kernel.perf_event_max_stack is lower; the
///   kernel then uses its own.
/// RHEL 8 (Linux 4.18) ends with mmap2 and with its precision.
/// Threads: any. The memory is only a hint: a race costs another try. Signals: safe.
class AttributeLadder {
 public:
  /// Opens `attr` for thread `tid` and returns the descriptor, which the caller owns. `attr` then
  /// holds what was really opened.
  /// Errors: kPermission, kNoEvent, kLimit (EMFILE), kConflict, kInvalid, kUnsupported or kSystem.
  Result<int> Open(Kernel& kernel, perf_event_attr& attr, pid_t tid) noexcept;

  /// The precise_ip of the last successful open.
  unsigned precise_obtained() const noexcept { return precise_.load(std::memory_order_relaxed); }
  /// The precise_ip that this open asked for, and the errno with which the last higher precision
  /// was refused (0: none was refused).
  unsigned precise_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
  int precise_refusal() const noexcept { return refusal_.load(std::memory_order_relaxed); }

 private:
  /// Bits that this kernel does not know (sampling_attr_signal.cpp).
  std::atomic<unsigned char> dropped_{0};
  std::atomic<unsigned char> precise_{0};
  std::atomic<bool> precise_known_{false};
  std::atomic<unsigned char> asked_{0};
  std::atomic<int> refusal_{0};
};

}  // namespace csink

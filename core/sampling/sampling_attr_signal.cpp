#include <errno.h>
#include <time.h>

#include "core/perf/stack_sample.h"
#include "core/sampling/sampling_attr.h"
#include "core/util/errno_words.h"

// File: MakeSamplingAttr asks for everything that a new kernel can do. AttributeLadder gives up one
// bit after the other until the kernel accepts, and remembers how far it went for the next open.

namespace csink {
namespace {

// The precision asked for where the user states none. Only x86 has it (PEBS, IBS). The driver
// arm_pmu accepts any precise_ip without an error and the samples skid all the same, so a report
// that relied on the answer would be wrong.
#if defined(__x86_64__)
constexpr unsigned kDefaultPrecise = 3;
#else
constexpr unsigned kDefaultPrecise = 0;
#endif

constexpr unsigned char kDropRemoveOnExec = 1;
constexpr unsigned char kDropBuildId = 2;
constexpr unsigned char kDropMmap2 = 4;
constexpr unsigned char kDropMaxStack = 8;

void DropBits(perf_event_attr& attr, unsigned char dropped) noexcept {
  if (dropped & kDropRemoveOnExec) attr.remove_on_exec = 0;
  if (dropped & kDropBuildId) attr.build_id = 0;
  if (dropped & kDropMmap2) attr.mmap2 = 0;
  if (dropped & kDropMaxStack) attr.sample_max_stack = 0;
}

// The next bit to give up that `attr` really uses; 0: nothing is left. The order is that of
// AttributeLadder's contract.
unsigned char NextBit(const perf_event_attr& attr) noexcept {
  if (attr.remove_on_exec) return kDropRemoveOnExec;
  if (attr.build_id) return kDropBuildId;
  if (attr.sample_max_stack) return kDropMaxStack;
  if (attr.mmap2) return kDropMmap2;
  return 0;
}

const char* Explain(int error) noexcept {
  switch (error) {
    case EACCES:
    case EPERM:
      return "perf_event_open is not permitted";
    case ENOENT:
    case ENODEV:
      return "this machine does not have the event";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    case EMFILE:
      return "the process's limit of open files is reached (ulimit -n)";
    case ENFILE:
      return "the system's limit of open files is reached (fs.file-max)";
    case EBUSY:
      return kCountersBusy;
    default:
      return "perf_event_open failed";
  }
}

}  // namespace

perf_event_attr MakeSamplingAttr(const EventSpec& spec, const SamplingOptions& options) noexcept {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = spec.type;
  attr.config = spec.config;
  attr.config1 = spec.config1;
  attr.config2 = spec.config2;
  attr.sample_type = PERF_SAMPLE_IP;
  if (spec.period != 0 && options.first_period != 0) {
    attr.sample_period = options.first_period;
    // Disabled: the caller enables the event. The count that each sample carries shows which
    // multiple of the first period it stands for.
    attr.disabled = 1;
    attr.sample_type |= PERF_SAMPLE_READ;
  } else if (spec.period != 0) {
    attr.sample_period = spec.period;
  } else {
    attr.freq = 1;
    attr.sample_freq = spec.frequency_hz;
    attr.sample_type |= PERF_SAMPLE_PERIOD;
  }
  attr.exclude_user = spec.exclude_user;
  attr.exclude_kernel = spec.exclude_kernel;
  // The hypervisor is never sampled: nothing there belongs to the program.
  attr.exclude_hv = 1;
  // The new program is not ours to sample: it gets its own agent by LD_PRELOAD, or none.
  attr.remove_on_exec = 1;
  if (options.record_mappings) {
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.build_id = 1;  // of the file at mapping time: a plugin's file may be gone at the report
  }
  if (options.timed) {
    // Linux 4.1. The clock of all processes, and that of the agent's own records.
    attr.sample_type |= PERF_SAMPLE_TIME;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
  }
  // Linux 4.3; permitted without rights as long as kernel mode is not sampled.
  attr.context_switch = options.record_switches;
  if (options.stack_bytes != 0) AskForStack(attr, options.stack_bytes);
  attr.watermark = 1;
  // Nothing waits on the ring, so wake-ups are work for nothing; a watermark makes them rare.
  attr.wakeup_watermark = options.wakeup_bytes;
  if (NeedsCounter(spec)) attr.precise_ip = spec.precise_given ? spec.precise : kDefaultPrecise;
  return attr;
}

Result<int> AttributeLadder::Open(Kernel& kernel, perf_event_attr& attr, pid_t tid) noexcept {
  unsigned char dropped = dropped_.load(std::memory_order_relaxed);
  DropBits(attr, dropped);
  // Later opens begin with the precision of the first success: each refused precision costs a
  // system call.
  const bool is_first = !precise_known_.load(std::memory_order_relaxed);
  if (!is_first) {
    attr.precise_ip = precise_.load(std::memory_order_relaxed);
  }
  const unsigned asked = attr.precise_ip;
  int refusal = 0;
  for (;;) {
    const long fd = kernel.PerfEventOpen(&attr, tid);
    if (fd >= 0) {
      dropped_.fetch_or(dropped, std::memory_order_relaxed);
      precise_.store(attr.precise_ip, std::memory_order_relaxed);
      if (is_first) {
        asked_.store(static_cast<unsigned char>(asked), std::memory_order_relaxed);
        refusal_.store(attr.precise_ip < asked ? refusal : 0, std::memory_order_relaxed);
      }
      precise_known_.store(true, std::memory_order_relaxed);
      return static_cast<int>(fd);
    }
    const int error = static_cast<int>(-fd);
    const bool too_new = error == EINVAL || error == E2BIG;
    // Precision first: it is the most likely cause, since many events and most virtual machines
    // lack it. The kernel refuses it with EOPNOTSUPP (x86), EINVAL or ENOENT (IBS).
    if (attr.precise_ip > 0 && (too_new || error == EOPNOTSUPP || error == ENOENT)) {
      attr.precise_ip = attr.precise_ip - 1;
      refusal = error;
      continue;
    }
    const bool too_deep = error == EOVERFLOW && attr.sample_max_stack != 0;
    const unsigned char bit = too_deep ? kDropMaxStack : (too_new ? NextBit(attr) : 0);
    if (bit == 0) return Error{ErrcFromErrno(error), error, Explain(error)};
    dropped |= bit;
    DropBits(attr, bit);
    // EINVAL does not say which field the kernel refused: an old kernel may well have the
    // precision, so the next rung starts with the full precision again.
    attr.precise_ip = asked & 3;
  }
}

}  // namespace csink

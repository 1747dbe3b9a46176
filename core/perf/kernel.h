#pragma once

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace csink {

/// The kernel as the counting core sees it: the one seam to the outside world,
/// so that every refusal can be tested on a machine that refuses nothing
/// (tests/fakes/fake_kernel.h).
///
/// Every call answers like a raw system call: a value >= 0, or -errno. errno is
/// never touched. Threads: any. Signals: safe.
class Kernel {
 public:
  /// perf_event_open(2); PERF_FLAG_FD_CLOEXEC is added. `tid` 0: the caller; -1: everything on
  /// `cpu`. `group_fd` -1: a group of its own.
  virtual long PerfEventOpen(perf_event_attr* attr, pid_t tid, int cpu, int group_fd) noexcept = 0;
  /// The same for one thread wherever it runs, alone.
  long PerfEventOpen(perf_event_attr* attr, pid_t tid) noexcept {
    return PerfEventOpen(attr, tid, -1, -1);
  }
  /// ioctl(2) with a PERF_EVENT_IOC_* request.
  virtual long EventControl(int fd, unsigned long request, unsigned long argument) noexcept = 0;
  /// read(2) of an event's counts; bytes, 0: a pinned event that could not be scheduled.
  virtual long EventRead(int fd, void* buffer, std::size_t size_bytes) noexcept = 0;
  /// Overflows of `fd` send `signal` with its number to thread `tid`: F_SETOWN_EX, F_SETSIG,
  /// O_ASYNC.
  virtual long SignalOverflows(int fd, int signal, pid_t tid) noexcept = 0;
  /// mmap(2) of `size_bytes` of `fd`, shared, read-write; the address, or -errno.
  virtual long MapRing(int fd, std::size_t size_bytes) noexcept = 0;
  virtual long Unmap(void* address, std::size_t size_bytes) noexcept = 0;
  virtual long Close(int fd) noexcept = 0;
  /// 0 when `fd` is a perf event, else -errno.
  virtual long CheckEvent(int fd) noexcept = 0;
  /// A per-thread CPU-clock timer for thread `tid` of this process that sends
  /// `signal` with `value` to it; the timer's id, or -errno.
  virtual long TimerCreate(pid_t tid, int signal, void* value) noexcept = 0;
  /// First shot after `first_ns`, then every `interval_ns` (0: once).
  virtual long TimerStart(int timer, std::uint64_t first_ns,
                          std::uint64_t interval_ns) noexcept = 0;
  virtual long TimerDelete(int timer) noexcept = 0;
  /// CPU time of a thread of this process in ns (user and system); -errno when it is gone.
  virtual long ThreadCpuNs(pid_t tid) noexcept = 0;
  /// kernel.perf_event_max_sample_rate: samples a second that the kernel allows an event now. The
  /// kernel lowers this number by itself when interrupts take too long. -errno: not readable.
  virtual long MaxSampleRateHz() noexcept = 0;

 protected:
  ~Kernel() = default;  // never deleted through the seam: no heap in the agent
};

/// The machine's own kernel, by raw system calls. No state.
Kernel& RealKernel() noexcept;

}  // namespace csink

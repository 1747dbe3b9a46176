#pragma once

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/machine/thread_times.h"

namespace csink {

/// The system calls that counting and sampling use, as an interface. Tests replace it
/// (tests/fakes/fake_kernel.h), so that each refusal of the kernel can be tested on a machine that
/// refuses nothing.
///
/// Unless a function says otherwise, it returns what the raw system call returns: a value >= 0, or
/// -errno. errno is never touched. Ownership of descriptors, mappings and timers passes to the
/// caller.
/// Threads: any. Signals: safe.
class Kernel {
 public:
  /// perf_event_open(2) with PERF_FLAG_FD_CLOEXEC. `tid` 0: the calling thread; -1: all threads on
  /// `cpu`. `cpu` -1: on any processor. `group_fd` -1: the event leads a group of its own. The
  /// kernel may write the size that it knows into `attr->size` (E2BIG). Returns a descriptor.
  virtual long PerfEventOpen(perf_event_attr* attr, pid_t tid, int cpu, int group_fd) noexcept = 0;
  /// The same for one thread on any processor, outside groups.
  long PerfEventOpen(perf_event_attr* attr, pid_t tid) noexcept {
    return PerfEventOpen(attr, tid, -1, -1);
  }
  /// ioctl(2) of an event with a PERF_EVENT_IOC_* request. `argument` is a number or an address, as
  /// the request wants it.
  virtual long EventControl(int fd, unsigned long request, unsigned long argument) noexcept = 0;
  /// read(2) of an event's counts. Returns the bytes read; 0: the event is pinned and could not be
  /// scheduled.
  virtual long EventRead(int fd, void* buffer, std::size_t size_bytes) noexcept = 0;
  /// Makes overflows of `fd` send `signal` to thread `tid`, with `fd` in si_fd (F_SETOWN_EX,
  /// F_SETSIG, O_ASYNC; fcntl(2)). After a failure some of the three settings may have been made.
  virtual long SignalOverflows(int fd, int signal, pid_t tid) noexcept = 0;
  /// Maps `size_bytes` of `fd` (shared, readable and writable) with mmap(2). Returns the address.
  virtual long MapRing(int fd, std::size_t size_bytes) noexcept = 0;
  /// munmap(2) of what MapRing returned.
  virtual long Unmap(void* address, std::size_t size_bytes) noexcept = 0;
  /// close(2).
  virtual long Close(int fd) noexcept = 0;
  /// PERF_EVENT_IOC_ID, which changes nothing: 0 for a perf event, else -errno.
  virtual long CheckEvent(int fd) noexcept = 0;
  /// Creates a timer on the CPU clock of thread `tid` of this process; the timer sends `signal`
  /// with `value` in si_value to that thread (timer_create(2), SIGEV_THREAD_ID). Returns the
  /// timer's id.
  virtual long TimerCreate(pid_t tid, int signal, void* value) noexcept = 0;
  /// Starts a timer: the first signal comes after `first_ns` of CPU time, then one every
  /// `interval_ns` (0: no further one). `first_ns` 0 stops the timer. CPU timers expire at the
  /// kernel's tick (HZ), so signals come late by up to a tick; steps that passed meanwhile are in
  /// si_overrun.
  virtual long TimerStart(int timer, std::uint64_t first_ns,
                          std::uint64_t interval_ns) noexcept = 0;
  /// timer_delete(2). A signal that is pending already may still arrive.
  virtual long TimerDelete(int timer) noexcept = 0;
  /// The CPU time (user and kernel) of a thread of this process in ns; -errno where the thread has
  /// ended or belongs to another process.
  virtual long ThreadCpuNs(pid_t tid) noexcept = 0;
  /// The CPU time (user and kernel) of a process in ns, also after its end as long as nobody has
  /// waited for it; -errno where there is none. `pid` 0: this process.
  virtual long ProcessCpuNs(pid_t pid) noexcept = 0;
  /// What the scheduler knows about a thread of this process (core/machine/thread_times.h). Stores
  /// nothing and returns -errno where that is not readable: ENODATA if the kernel does not keep the
  /// numbers, else the failure of the file in /proc. The file is open for some microseconds.
  virtual long ScheduleTimes(pid_t tid, ThreadTimes* times) noexcept = 0;
  /// How often the calling thread gave its processor back to wait for something (`waits`), and how
  /// often the scheduler took the processor away (`preempted`); getrusage(2) of RUSAGE_THREAD.
  virtual long OwnSwitches(std::uint64_t* waits, std::uint64_t* preempted) noexcept = 0;
  /// kernel.perf_event_max_sample_rate: the samples a second that the kernel allows an event at
  /// present, at most 10^9. The kernel lowers this number by itself when interrupts take too long,
  /// so callers read it again when an event was throttled. -errno: not readable.
  virtual long MaxSampleRateHz() noexcept = 0;

 protected:
  ~Kernel() =
      default;  // not virtual: never deleted by a Kernel pointer, since lean code has no heap
};

/// The machine's own kernel, by raw system calls. Has no state, and is constant-initialised: usable
/// before main. Threads: any. Signals: safe.
Kernel& RealKernel() noexcept;

}  // namespace csink

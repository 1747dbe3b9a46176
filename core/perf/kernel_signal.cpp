#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "core/machine/deadly_calls.h"
#include "core/perf/kernel.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"

// File: nearly each function is one system call and returns what the kernel returns, a negative
// errno for a failure. Nothing is retried or translated here: that is the callers' part, which the
// tests run on a fake kernel.

namespace csink {
namespace {

// The id of another thread's CPU clock, in the encoding of MAKE_THREAD_CPUCLOCK(tid,
// CPUCLOCK_SCHED) in the kernel's include/linux/posix-timers.h. Why not pthread_getcpuclockid: it
// needs a pthread_t, which a thread id does not lead to.
long ThreadClock(pid_t tid) noexcept {
  return (~static_cast<unsigned long>(static_cast<unsigned>(tid)) << 3) | 6;
}

// MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED), likewise.
long ProcessClock(pid_t pid) noexcept {
  return (~static_cast<unsigned long>(static_cast<unsigned>(pid)) << 3) | 2;
}

class SystemKernel final : public Kernel {
 public:
  long PerfEventOpen(perf_event_attr* attr, pid_t tid, int cpu, int group_fd) noexcept override {
    if (IsDeadly(DeadlyCall::kPerfEventOpen)) return -EPERM;  // as most filters answer
    // PERF_FLAG_FD_CLOEXEC: a program that is exec'd must not inherit descriptors that it knows
    // nothing of.
    return RawSyscall(SYS_perf_event_open, SyscallArg(attr), tid, cpu, group_fd,
                      PERF_FLAG_FD_CLOEXEC);
  }
  long EventControl(int fd, unsigned long request, unsigned long argument) noexcept override {
    return RawSyscall(SYS_ioctl, fd, static_cast<long>(request), static_cast<long>(argument));
  }
  long EventRead(int fd, void* buffer, std::size_t size_bytes) noexcept override {
    return RawSyscall(SYS_read, fd, SyscallArg(buffer), static_cast<long>(size_bytes));
  }
  long SignalOverflows(int fd, int signal, pid_t tid) noexcept override {
    // To one thread: F_SETOWN would let the kernel choose any thread of the process.
    const f_owner_ex owner = {F_OWNER_TID, tid};
    // O_ASYNC comes last: with an owner and without F_SETSIG an overflow sends SIGIO, whose default
    // action ends the program.
    long r = RawSyscall(SYS_fcntl, fd, F_SETOWN_EX, SyscallArg(&owner));
    // With F_SETSIG the handler's siginfo has si_fd and the reason; SIGIO alone would have neither
    // (fcntl(2)).
    if (r >= 0) r = RawSyscall(SYS_fcntl, fd, F_SETSIG, signal);
    if (r >= 0) r = RawSyscall(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    return r;
  }
  // MAP_SHARED: the kernel writes through the same pages. Writable, because the reader stores the
  // tail.
  long MapRing(int fd, std::size_t size_bytes) noexcept override {
    return RawSyscall(SYS_mmap, 0, static_cast<long>(size_bytes), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fd, 0);
  }
  long Unmap(void* address, std::size_t size_bytes) noexcept override {
    return RawSyscall(SYS_munmap, SyscallArg(address), static_cast<long>(size_bytes));
  }
  long Close(int fd) noexcept override { return RawSyscall(SYS_close, fd); }
  long CheckEvent(int fd) noexcept override {
    // PERF_EVENT_IOC_ID changes nothing, and only perf events accept it.
    std::uint64_t id = 0;
    return RawSyscall(SYS_ioctl, fd, PERF_EVENT_IOC_ID, SyscallArg(&id));
  }
  long TimerCreate(pid_t tid, int signal, void* value) noexcept override {
    if (IsDeadly(DeadlyCall::kTimerCreate)) return -EPERM;
    sigevent event = {};
    // timer_create(2): only this way a timer's signal comes to the thread whose clock it measures.
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event.sigev_value.sival_ptr = value;
    // timer_create(2) calls the member sigev_notify_thread_id, a name that older glibc lacks.
    event._sigev_un._tid = tid;
    int id = -1;
    const long r = RawSyscall(SYS_timer_create, static_cast<int>(ThreadClock(tid)),
                              SyscallArg(&event), SyscallArg(&id));
    return r < 0 ? r : id;
  }
  long TimerStart(int timer, std::uint64_t first_ns, std::uint64_t interval_ns) noexcept override {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    itimerspec spec = {};
    spec.it_value.tv_sec = static_cast<time_t>(first_ns / kSecond);
    spec.it_value.tv_nsec = static_cast<long>(first_ns % kSecond);
    spec.it_interval.tv_sec = static_cast<time_t>(interval_ns / kSecond);
    spec.it_interval.tv_nsec = static_cast<long>(interval_ns % kSecond);
    return RawSyscall(SYS_timer_settime, timer, 0, SyscallArg(&spec), 0);
  }
  long TimerDelete(int timer) noexcept override { return RawSyscall(SYS_timer_delete, timer); }
  long ThreadCpuNs(pid_t tid) noexcept override {
    timespec now = {};
    const long r =
        RawSyscall(SYS_clock_gettime, static_cast<int>(ThreadClock(tid)), SyscallArg(&now));
    return r < 0 ? r : now.tv_sec * 1'000'000'000l + now.tv_nsec;
  }
  long ProcessCpuNs(pid_t pid) noexcept override {
    timespec now = {};
    const int clock = pid == 0 ? CLOCK_PROCESS_CPUTIME_ID : static_cast<int>(ProcessClock(pid));
    const long r = RawSyscall(SYS_clock_gettime, clock, SyscallArg(&now));
    return r < 0 ? r : now.tv_sec * 1'000'000'000l + now.tv_nsec;
  }
  long ScheduleTimes(pid_t tid, ThreadTimes* times) noexcept override {
    const Result<ThreadTimes> now = ReadThreadTimes(static_cast<std::uint32_t>(tid));
    if (now) *times = *now;
    if (now) return 0;
    return now.error().sys_errno != 0 ? -now.error().sys_errno : -ENODATA;
  }
  long OwnSwitches(std::uint64_t* waits, std::uint64_t* preempted) noexcept override {
    struct rusage usage = {};
    const long r = RawSyscall(SYS_getrusage, RUSAGE_THREAD, SyscallArg(&usage));
    *waits = static_cast<std::uint64_t>(usage.ru_nvcsw);
    *preempted = static_cast<std::uint64_t>(usage.ru_nivcsw);
    return r;
  }
  long MaxSampleRateHz() noexcept override {
    const SmallFile<32> file("/proc/sys/kernel/perf_event_max_sample_rate");
    // The negative errno, as the system calls of this class.
    if (file.error() != 0) return -file.error();
    const Result<std::uint64_t> rate = ParseUnsigned(Trimmed(file.view()));
    constexpr std::uint64_t kMost = 1'000'000'000;  // the kernel's variable is an int
    return rate && *rate <= kMost ? static_cast<long>(*rate) : -EINVAL;
  }
};

// Without members and with a constexpr constructor: nothing runs at the start.
SystemKernel g_kernel;

}  // namespace

Kernel& RealKernel() noexcept { return g_kernel; }

}  // namespace csink

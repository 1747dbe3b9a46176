#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/util/result.h"

namespace csink {

/// How one event reports every `period` counts, beside being counted.
struct SamplingRequest {
  enum class Delivery : std::uint8_t {
    kNone,     ///< Counted only
    kSigtrap,  ///< attr.sigtrap: a synchronous SIGTRAP in the counted thread, `cookie` in sig_data
    kSignal,   ///< O_ASYNC, F_SETOWN_EX to the counted thread, `signal`; si_fd names the event
    kRing,     ///< A ring may be mapped on fd(i): records of the PC alone, or with the data address
  };
  Delivery delivery = Delivery::kNone;
  std::uint64_t period = 0;  ///< > 0 with a delivery
  std::uint64_t cookie = 0;
  int signal = 0;
  bool data_address = false;  ///< Also record the data address (kRing)
  /// The PC must be the very instruction (PEBS, IBS); kUnsupported where it cannot. Events of the
  /// kernel's own are always exact.
  bool exact_pc = false;
};

/// One counter of a set.
struct CounterRequest {
  std::uint32_t event = 0;  ///< The component's own event number (Component::Find)
  SamplingRequest sampling;
};

/// Whose events are counted.
struct CountingTarget {
  enum class Kind : std::uint8_t { kCaller, kThread, kCpu };
  Kind kind = Kind::kCaller;
  pid_t tid = 0;         ///< kThread: a thread of any process
  int cpu = -1;          ///< kCpu: everything on that processor
  bool inherit = false;  ///< Threads and children made later count into it
};

/// Where counting is allowed; modifiers in an event's own name win.
struct CountingDomain {
  bool user = true;
  bool kernel = false;
  bool hypervisor = false;
  friend bool operator==(const CountingDomain&, const CountingDomain&) = default;
};

struct CountingOptions {
  CountingTarget target;
  CountingDomain domain;
  enum class Multiplex : std::uint8_t { kOff, kKernel, kSoftware };
  Multiplex multiplex = Multiplex::kOff;
  std::uint64_t multiplex_slice_ns = 0;  ///< kSoftware: how long a counter stays; 0: default
};

struct QuickRead;

/// A number of counters of one component that are started, read and stopped together: what a PAPI
/// event set holds of one component.
///
/// States: empty, stopped, running. Counts belong to the set: they survive Stop, are 64 bits wide
/// whatever the hardware's width, and never negative. A call that fails leaves the set as it was.
/// Owns:    its descriptors and mappings.
/// Threads: one at a time; Read may be called from another thread than the counted one.
/// Signals: Read and Reset are safe while running (an overflow handler may read its set).
class CounterSet {
 public:
  virtual ~CounterSet() = default;

  /// Makes the set exactly these counters: opens what is new, closes what is gone, keeps what is
  /// the same (a set of n that gets one more opens one). Only while stopped. Counts are zero
  /// afterwards. Fails with kConflict (they cannot count together), kPermission, kNoEvent,
  /// kLimit, kInvalid, kUnsupported (this component cannot do that option); `what` says it in
  /// words.
  virtual Result<void> Configure(std::span<const CounterRequest> requests,
                                 const CountingOptions& options) = 0;
  virtual std::size_t size() const noexcept = 0;

  /// Counts start from zero, except after Write. No system call but the one that enables.
  /// kCaller counters count the thread that called Configure; when another thread starts the
  /// set, it is opened anew for that one.
  virtual Result<void> Start() = 0;
  /// Stops; the last counts stay readable. One system call to disable, one to read a group.
  virtual Result<void> Stop() = 0;
  /// values[size()]. One system call for a group, none where user-space reads work.
  virtual Result<void> Read(long long* values) noexcept = 0;
  /// Counts continue from zero; running or stopped.
  virtual Result<void> Reset() noexcept = 0;
  /// Reads and resets in one step, losing nothing in between (PAPI_accum).
  virtual Result<void> ReadAndReset(long long* values) noexcept = 0;
  /// Counts continue from these.
  virtual Result<void> Write(const long long* values) noexcept = 0;
  virtual bool running() const noexcept = 0;
  /// How to read it without this interface while it runs (core/counting/quick_read.h); until the
  /// next Stop, Configure or ForgetAfterFork. nullptr: only by Read.
  virtual const QuickRead* quick() const noexcept { return nullptr; }

  /// The descriptor of counter i for those who sample (ring, fcntl); -1: none.
  virtual int fd(std::size_t i) const noexcept = 0;
  /// The descriptor of the leader of counter i's group: on Linux 6.16 and later the kernel writes
  /// the group's PERF_RECORD_THROTTLE for that event alone. -1: none.
  virtual int leader_fd(std::size_t i) const noexcept { return fd(i); }
  /// The kernel has throttled counter i (PERF_RECORD_THROTTLE), which stops it, and on Linux 6.16
  /// and later its whole group, until the next tick. Starts the group again at once. Nothing while
  /// the set is stopped.
  /// Signals: safe.
  virtual void EndThrottle(std::size_t) noexcept {}
  /// The thread that counter i counts (resolved; for F_OWNER_TID and timers); 0: not one thread.
  virtual pid_t counted_tid() const noexcept = 0;
  /// Time that counter i was wanted and really counted, ns, at the last read (multiplexing).
  virtual void Times(std::size_t i, std::uint64_t* enabled_ns,
                     std::uint64_t* running_ns) const noexcept = 0;

  /// In a forked child: the set counts the parent and must not be touched again: closes the
  /// descriptors without any ioctl, forgets mappings. Becomes empty.
  virtual void ForgetAfterFork() noexcept = 0;
};

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/util/result.h"

namespace csink {

/// How an event reports every `period` counts, in addition to being counted.
struct SamplingRequest {
  enum class Delivery : std::uint8_t {
    kNone,     ///< The event is only counted
    kSigtrap,  ///< attr.sigtrap: a synchronous SIGTRAP in the counted thread, with `cookie` in
               ///< sig_data
    kSignal,   ///< O_ASYNC: `signal` to the counted thread (F_SETOWN_EX), with the event in si_fd
    kRing,     ///< A ring may be mapped on fd(i): records hold the PC, or also the data address
  };
  Delivery delivery = Delivery::kNone;
  std::uint64_t period = 0;  ///< > 0 with a delivery
  /// kSigtrap: the value that the kernel passes to the handler.
  std::uint64_t cookie = 0;
  /// kSignal: the signal's number.
  int signal = 0;
  bool data_address = false;  ///< Also record the data address (kRing)
  /// The PC must be that of the instruction itself (PEBS, IBS); kUnsupported where that is not
  /// possible. Events of the kernel's own always have the exact PC.
  bool exact_pc = false;
};

/// One counter of a set.
struct CounterRequest {
  std::uint32_t event = 0;  ///< The component's own event number (Component::Find)
  SamplingRequest sampling;
};

/// What is counted.
struct CountingTarget {
  /// kCaller: the thread that calls Configure, or later Start. kThread and kCpu: by `tid` and
  /// `cpu`.
  enum class Kind : std::uint8_t { kCaller, kThread, kCpu };
  Kind kind = Kind::kCaller;
  pid_t tid = 0;         ///< kThread: a thread of any process
  int cpu = -1;          ///< kCpu: all threads on that processor
  bool inherit = false;  ///< Also count threads and children created later
};

/// The privilege levels in which events are counted. Modifiers in an event's name take precedence.
struct CountingDomain {
  bool user = true;
  bool kernel = false;
  bool hypervisor = false;
  friend bool operator==(const CountingDomain&, const CountingDomain&) = default;
};

/// Options that hold for all counters of a set.
struct CountingOptions {
  CountingTarget target;
  CountingDomain domain;
  /// kOff: all counters count all the time, or Configure fails. kKernel: the kernel exchanges the
  /// events at its ticks. kSoftware: groups take turns by a timer of ours (SliceTimer).
  enum class Multiplex : std::uint8_t { kOff, kKernel, kSoftware };
  Multiplex multiplex = Multiplex::kOff;
  std::uint64_t multiplex_slice_ns = 0;  ///< kSoftware: length of a turn; 0: the default
};

struct QuickRead;

/// Counters of one component that are started, read and stopped together: the part of a PAPI event
/// set that belongs to one component.
///
/// States: empty, stopped, running. Counts belong to the set: they survive Stop, have 64 bits
/// whatever the hardware's width, and are never negative. A call that fails leaves the set
/// unchanged.
/// Owns:    its descriptors and mappings.
/// Threads: one at a time; Read may be called by another thread than the counted one.
/// Signals: Read and Reset are safe while running: an overflow handler may read its set.
class CounterSet {
 public:
  virtual ~CounterSet() = default;

  /// Makes the set consist of exactly these counters: opens new ones, closes removed ones and keeps
  /// equal ones (adding one counter opens one event). Only while stopped. Counts are zero
  /// afterwards.
  /// Errors: kInvalid (running; bad request), kConflict (the events cannot count together),
  ///         kPermission, kNoEvent, kLimit, kUnsupported (an option that this component lacks);
  ///         `what` explains it.
  virtual Result<void> Configure(std::span<const CounterRequest> requests,
                                 const CountingOptions& options) = 0;
  /// The number of counters, which is that of the requests of the last Configure.
  virtual std::size_t size() const noexcept = 0;

  /// Starts counting from zero, or after Write from the written values. Makes no other system call
  /// than the one that enables the events. kCaller counters count the thread that called Configure;
  /// where another thread starts the set, the events are opened anew for that thread.
  virtual Result<void> Start() = 0;
  /// Stops counting; the last counts stay readable. One system call to disable each group, one to
  /// read it.
  virtual Result<void> Stop() = 0;
  /// Stores the counts in values[size()]. One system call for each group, none where user-space
  /// reads work. While stopped: the last counts, without a system call.
  /// Errors: kLost (the values are lower bounds); kConflict (a group lost its counters), kSystem
  /// and others of the source: `values` is then undefined.
  virtual Result<void> Read(long long* values) noexcept = 0;
  /// Read, for sets whose counters may fail one by one (cards): errors[i] is kOk, or why values[i]
  /// is undefined. An error other than kLost as result: nothing was read, and both arrays are
  /// undefined. By default the counters fail together. Signals: not safe.
  virtual Result<void> ReadEach(long long* values, Error* errors) noexcept {
    for (std::size_t i = 0; i < size(); ++i) errors[i] = {};
    return Read(values);
  }
  /// Stores in most[size()] what each count may lack since it was zero, at most: 0 where none is
  /// lost, infinite where nothing bounds it. Signals: not safe.
  virtual void Lacks(double* most) noexcept {
    for (std::size_t i = 0; i < size(); ++i) most[i] = 0;
  }
  /// Sets the counts to zero; running or stopped.
  virtual Result<void> Reset() noexcept = 0;
  /// Reads and resets in one step, so that no count is lost in between (PAPI_accum).
  virtual Result<void> ReadAndReset(long long* values) noexcept = 0;
  /// Sets the counts to values[size()]; running or stopped. The next Start continues from these
  /// values.
  virtual Result<void> Write(const long long* values) noexcept = 0;
  /// Between a successful Start and the next Stop.
  virtual bool running() const noexcept = 0;
  /// A description by which the running set can be read without this interface
  /// (core/counting/counters/quick_read.h). Valid until the next Stop, Configure or
  /// ForgetAfterFork. nullptr: only Read works.
  virtual const QuickRead* quick() const noexcept { return nullptr; }

  /// The descriptor of counter i, for sampling (ring, fcntl); -1: there is none. The set keeps it.
  virtual int fd(std::size_t i) const noexcept = 0;
  /// The descriptor of the leader of counter i's group; -1: there is none. On Linux 6.16 and later
  /// the kernel writes PERF_RECORD_THROTTLE for the leader alone.
  virtual int leader_fd(std::size_t i) const noexcept { return fd(i); }
  /// Starts counter i's group again after the kernel has throttled it (PERF_RECORD_THROTTLE): the
  /// kernel stops the event, and on Linux 6.16 and later its whole group, until the next tick. Does
  /// nothing while the set is stopped.
  /// Signals: safe.
  virtual void EndThrottle(std::size_t) noexcept {}
  /// The id of the counted thread, also for kCaller (for F_OWNER_TID and timers); 0: not a single
  /// thread.
  virtual pid_t counted_tid() const noexcept = 0;
  /// The times in ns that counter i was enabled and really counted, at the last read
  /// (multiplexing).
  virtual void Times(std::size_t i, std::uint64_t* enabled_ns,
                     std::uint64_t* running_ns) const noexcept = 0;

  /// In a forked child, where the set counts the parent: closes the descriptors without any ioctl
  /// and gives up mappings. The set is empty afterwards.
  virtual void ForgetAfterFork() noexcept = 0;
};

}  // namespace csink

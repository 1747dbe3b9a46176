#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"
#include "core/perf/perf_event.h"
#include "core/perf/ring_buffer.h"
#include "core/util/result.h"

namespace csink::attach {

/// Layout of the records, in bytes from the record's start. A sample is identifier, PC, pid and
/// tid, time, then the period (frequency mode only), then the chain (perf_event_open(2)). All other
/// records end with pid and tid, time, identifier (sample_id_all).
inline constexpr std::size_t kSampleIdentifier = 8;
inline constexpr std::size_t kSampleAddress = 16;
inline constexpr std::size_t kSamplePid = 24;
inline constexpr std::size_t kSampleTid = 28;
inline constexpr std::size_t kSampleTime = 32;
inline constexpr std::size_t kSampleRest = 40;
inline constexpr std::size_t kTrailerBytes = 24;
inline constexpr std::size_t kTrailerTime = 16;  ///< From the record's end

/// Sampled events on threads of another process: one event for each thread, processor and column,
/// inherited by threads and children that are born later. All events of a processor write into one
/// ring.
///
/// Why events for each processor: the kernel gives no ring to an inherited event that follows its
/// thread over processors (mmap(2) returns EINVAL), and without inheritance a thread would run
/// unsampled until it is found in /proc.
///
/// Owns:    descriptors and rings. Destroying it removes all events from the threads.
/// Threads: one. Signals: not safe (heap).
class ThreadEvents {
 public:
  struct Options {
    bool stacks = false;            ///< Record callers by frame pointers
    std::uint32_t stack_bytes = 0;  ///< > 0: registers and so much of the stack, behind the callers
    bool on_exec = false;           ///< The events begin when the thread executes a program
    /// Bytes of a ring for each processor; a power of two. Less where the limit of locked memory
    /// requires it.
    std::size_t ring_bytes = 1 << 20;
  };

  /// `cpus`: the processors of the machine that are online. `kernel` must outlive the object.
  ThreadEvents(Kernel& kernel, const EventList& events, std::vector<int> cpus,
               const Options& options);
  ~ThreadEvents();
  ThreadEvents(const ThreadEvents&) = delete;
  ThreadEvents& operator=(const ThreadEvents&) = delete;

  /// Opens all events of thread `tid`. A processor that is offline is left out, and so is an event
  /// on the processors that do not have it: on a hybrid those of the other kinds of cores.
  /// Errors: kNotFound (the thread has ended), kPermission, kLimit (descriptors, locked memory),
  /// kNoEvent (no processor has it), and others by ErrcFromErrno. No event of the thread remains
  /// then. `failed_event` has the column.
  Result<void> Attach(pid_t tid);
  std::size_t failed_event() const { return failed_event_; }

  /// The event that an identifier of a sample or of a LOST record belongs to.
  struct Origin {
    std::uint32_t column = 0;
    std::uint32_t cpu = 0;  ///< Index into the list of processors
  };
  std::optional<Origin> OriginOf(std::uint64_t identifier) const;

  /// Calls `visit(const RingRecord&)` for all records in all rings, one ring after the other.
  template <class Visit>
  void Drain(Visit&& visit) {
    for (RingBuffer& ring : rings_) {
      if (ring.pending_bytes() != 0) ring.Drain(visit);
    }
  }
  /// CPU time, user and system, of all threads with events since these began, also of those that
  /// have ended: the sum of the first clock column. 0: no column is a clock.
  std::uint64_t ClockNs() const;
  /// How full the fullest ring is, in eighths.
  unsigned FullestEighths() const;
  /// Bytes of the smallest ring.
  std::size_t ring_bytes() const { return ring_bytes_; }
  /// Number of open events.
  std::size_t size() const { return events_.size(); }
  /// The precision that the kernel granted to a column.
  unsigned precise(std::size_t column) const { return ladders_[column].precise; }

 private:
  /// What this kernel and PMU do not have, remembered from the first success.
  struct Ladder {
    unsigned precise = 0;
    bool known = false;
  };

  struct Opened {
    PerfEvent event;
    std::size_t column;
  };

  /// `reports`: the event also reports mappings, thread names, and starts and ends of threads.
  /// Exactly one event of a processor does.
  perf_event_attr AttrOf(std::size_t column, bool reports) const;
  /// Opens one event; gives up bits that the kernel does not know.
  Result<PerfEvent> Open(std::size_t column, bool reports, pid_t tid, int cpu);
  /// Gives the event a ring and appends it to events_. After an error it is in events_ as well:
  /// close it with CloseFrom.
  Result<void> Add(PerfEvent event, std::size_t column, std::size_t cpu);
  /// Closes the events from index `first` on, and unmaps the rings that they own.
  void CloseFrom(std::size_t first);
  /// Maps the processor's ring from `event`, or redirects the event to the ring that is there.
  Result<void> Connect(const PerfEvent& event, std::size_t cpu);

  Kernel& kernel_;
  EventList list_;
  std::vector<int> cpus_;
  Options options_;
  std::vector<Ladder> ladders_;
  unsigned dropped_ = 0;           ///< Bits given up (thread_events.cpp)
  std::vector<RingBuffer> rings_;  ///< By index of the processor
  std::vector<int> ring_owners_;   ///< Descriptor whose ring it is; -1: none yet
  std::vector<Opened> events_;
  std::unordered_map<std::uint64_t, Origin> origins_;
  std::size_t failed_event_ = 0;
  std::size_t ring_bytes_;
};

/// The processors in a list of the kernel such as "0-3,8" (/sys/devices/system/cpu/online). Empty:
/// not such a list.
std::vector<int> ParseCpuList(std::string_view text);

}  // namespace csink::attach

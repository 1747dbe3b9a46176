#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "agent/attach/process_image.h"
#include "agent/attach/thread_events.h"
#include "agent/attach/wait_watch.h"
#include "core/util/result.h"

namespace csink::attach {

/// Moves the records of a process that was attached, and of its descendants, into their spools.
///
/// Records of one processor are in order, those of several are not: a thread may map a library on
/// one processor, and a thread on another one may run it. So all rings are drained, the records are
/// sorted by time, and those that are younger than the begin of the drain wait for the next one: an
/// older record may still be missing.
///
/// Owns:    the images. `surroundings`, `events`, `list` and `waits` must outlive it. `waits`: null
///          where blocked threads are not observed.
/// Threads: one. Signals: not safe (heap).
class Session {
 public:
  Session(const Surroundings& surroundings, ThreadEvents& events, const EventList& list,
          WaitWatch* waits = nullptr)
      : surroundings_(surroundings), events_(events), list_(list), waits_(waits) {}

  /// What AttachTo has found.
  struct Attached {
    std::size_t threads = 0;  ///< With events
    std::size_t refused = 0;  ///< Without
    Error why;                ///< Of the last refused thread
    bool maps_were_read = false;
  };
  /// Opens the events on all threads of `pid`, also on those that are born meanwhile. With
  /// `on_exec`, the process has one thread, which waits to execute the program.
  /// Errors: kNotFound (the process has ended), or why the first thread was refused.
  Result<Attached> AttachTo(pid_t pid, bool on_exec);

  /// Drains the rings and takes all records that are complete. `all`: every record, for the last
  /// call.
  void Drain(bool all);
  /// A moment of the observer of blocked threads: drains the rings, so that the threads and the
  /// last samples are those of now, and looks at all threads. Requires `waits`.
  void ObserveWaits();
  /// Writes CPU times into the spools' headers. `thread_times`: of each thread, too.
  void Update(bool thread_times);
  /// The end of the attaching: the last drain, and the end of all images. The status of a process
  /// that has ended is read from /proc until its parent has waited for it.
  void Finish();

  /// Why the samples come from this source, in the spools of the images that run.
  void SetSourceReason(const std::string& reason);
  /// Spools with samples, of all images.
  std::size_t spools() const { return spools_; }
  /// Images with samples for which no spool could be made; each was said on stderr.
  std::size_t failed_spools() const { return failed_spools_; }
  /// The images of processes that run.
  const std::map<pid_t, std::unique_ptr<ProcessImage>>& images() const { return images_; }

 private:
  struct Entry {
    std::uint64_t time_ns;
    std::size_t at;  ///< In bytes_
    std::uint16_t size_bytes;
  };

  void Collect();
  void Take(const RingRecord& record, std::uint64_t time_ns);
  void TakeSample(const RingRecord& record);
  void TakeFork(const RingRecord& record, std::uint64_t time_ns);
  void TakeName(const RingRecord& record, std::uint64_t time_ns);
  void TakeExit(const RingRecord& record);
  /// The image of a process; made from /proc if its FORK record was lost.
  ProcessImage& ImageOf(pid_t pid);
  /// The observer must not use an image that goes.
  void ForgetWaits(pid_t pid) {
    if (waits_) waits_->Forget(pid);
  }
  /// Ends an image and counts its spool. `times_are_known`: those of its threads were just read.
  void Close(ProcessImage& image, spool::End end, std::uint32_t detail, const ProcessStat* stat,
             bool times_are_known);
  std::string FolderOf(pid_t pid) const { return surroundings_.proc + "/" + std::to_string(pid); }
  /// Gives the attached process the CPU time that the events have counted and no other image
  /// explains: /proc has it in multiples of 10 ms, or not at all if the parent has waited already.
  void CompleteRoot(ProcessImage& image);
  /// The share of this profiler's CPU time that a spool's header has: all of it in one spool.
  std::uint64_t OwnNs(const ProcessImage& image) const;

  const Surroundings& surroundings_;
  ThreadEvents& events_;
  const EventList& list_;
  WaitWatch* waits_;
  std::map<pid_t, std::unique_ptr<ProcessImage>> images_;
  pid_t root_ = 0;
  std::size_t spools_ = 0;
  std::size_t failed_spools_ = 0;
  bool root_began_ = false;           ///< The attached process runs its program, not csink-attach
  bool on_exec_ = false;              ///< The events began with the image, and so did its times
  std::uint64_t explained_ns_ = 0;    ///< CPU time of the images that have ended
  std::vector<unsigned char> bytes_;  ///< Copies of records that wait
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> callers_;  ///< Of one sample
  StackSample stack_;                   ///< Likewise
};

}  // namespace csink::attach

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "agent/attach/proc_facts.h"
#include "agent/attach/remainders.h"
#include "profil/inside/spool/writer.h"

namespace csink::attach {

/// One thread of a sampled process.
struct ImageThread {
  std::uint32_t record = spool::kNone;  ///< In the spool; made at the first sample
  std::string name;
  bool sampled = false;    ///< It has events
  bool had_start = false;  ///< `start` was read
  TaskTimes start;         ///< Times when the thread was attached
  TaskTimes last;
  std::uint64_t last_ns = 0;   ///< When `last` was read; CLOCK_MONOTONIC
  std::uint64_t start_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t sampled_ns = 0;
  Remainders remainders;
  BucketSegment::Key last_place = {};  ///< Of the last sample; pc 0: there was none

  std::uint64_t RunNs() const { return last.run_ns - start.run_ns; }
};

/// The threads of a sampled process, their times and their records in its spool.
///
/// Threads: one.
class ImageThreads {
 public:
  /// Adds a thread. `times`: its times now; null: not known. The reference is valid until the
  /// thread ends.
  ImageThread& Add(pid_t tid, bool sampled, const std::string& name, const TaskTimes* times,
                   std::uint64_t now_ns);
  /// The thread; nullptr: there is none, or it has ended.
  ImageThread* Find(pid_t tid);
  bool Has(pid_t tid) const { return live_.contains(tid); }
  /// Gives the thread another name, in its record, too. `spool`: null if there is none yet.
  void Rename(pid_t tid, const std::string& name, SpoolWriter* spool);
  /// Marks the record of a thread that has ended, and forgets the thread: the kernel may give its
  /// number to another one.
  void End(pid_t tid, SpoolWriter* spool);
  /// Those that have not ended, by number.
  std::unordered_map<pid_t, ImageThread>& live() { return live_; }
  const std::unordered_map<pid_t, ImageThread>& live() const { return live_; }
  std::uint32_t seen() const { return seen_; }
  std::uint32_t sampled() const { return sampled_; }

  /// Reads the times of all threads, which costs 10 us each. `folder`: of the process in /proc;
  /// `now_ns`: CLOCK_MONOTONIC.
  void ReadTimes(const std::string& folder, std::uint64_t now_ns);
  /// CPU time of all threads since they were attached, as /proc has it now.
  std::uint64_t RunSinceStart(const std::string& folder) const;
  /// CPU time of threads without events, as far as it was read.
  std::uint64_t UnsampledNs() const;

  /// The thread's record in the spool, made at first use; kMergedThread: it has none of its own.
  std::uint32_t RecordOf(pid_t tid, ImageThread& thread, SpoolWriter& spool);
  /// Writes the times of the threads that have not ended into their records.
  void Store(SpoolWriter& spool);

 private:
  std::unordered_map<pid_t, ImageThread> live_;
  std::uint32_t seen_ = 0;
  std::uint32_t sampled_ = 0;
  std::uint32_t records_ = 0;
  std::uint64_t unsampled_ns_ = 0;  ///< Of threads that ended without events
};

}  // namespace csink::attach

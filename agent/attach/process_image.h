#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "agent/attach/image_mappings.h"
#include "agent/attach/image_threads.h"
#include "agent/attach/proc_facts.h"
#include "agent/attach/remainders.h"
#include "profil/inside/chains/caller_chains.h"
#include "profil/inside/python/python_frames.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink::attach {

/// What all processes of a session have in common.
struct Surroundings {
  std::string proc = "/proc";
  std::string folder;  ///< For the spools; must exist
  /// Fields of the machine, the columns, the tree and the source are filled in
  spool::Header header = {};
  bool system_is_sampled = false;  ///< The clock event counts kernel mode, too
  bool stacks = false;
  bool waits = false;   ///< Blocked threads are observed (ImageWaits)
  bool python = false;  ///< Samples carry what names their Python functions
};

/// One image of a sampled process: its mappings, threads and spool. The spool is made at the first
/// sample, so that a process without CPU time leaves no file. The remainders of the threads'
/// periods (remainders.h) are added to the samples.
///
/// Owns:    the spool's mappings, which stay until the process ends (SpoolWriter).
/// Threads: one.
class ProcessImage {
 public:
  /// An image whose facts are read from /proc now. `generation`: earlier images of the pid.
  ProcessImage(const Surroundings& surroundings, pid_t pid, unsigned generation);
  ProcessImage(const ProcessImage&) = delete;
  ProcessImage& operator=(const ProcessImage&) = delete;

  pid_t pid() const { return pid_; }
  unsigned generation() const { return generation_; }
  /// The image's spool is open: it has at least one sample.
  bool has_spool() const { return spool_ && spool_->open(); }
  /// A record of the kernel said that libagent.so was mapped: the process samples itself, and its
  /// samples are not counted here.
  bool has_agent() const { return has_agent_; }
  /// There were samples, but no spool could be made for them.
  bool failed() const { return failed_; }
  const char* spool_path() const { return spool_ ? spool_->path() : ""; }

  /// Reads the start time of the process and its number in its own pid namespace from /proc.
  void ReadIdentity();
  /// The same with the names of the program. What cannot be read stays as it was.
  void ReadFacts();
  /// Reads the executable mappings from /proc/PID/maps. Returns false if they cannot be read.
  bool ReadMaps();
  /// Copies names and mappings of the parent: a forked process has them before it executes.
  void InheritFrom(const ProcessImage& parent);
  /// Sets the program's name: the kernel's name of a process whose files of /proc are gone.
  void SetName(const std::string& name);
  /// CPU time that the process had used when it was attached, and that is not in the report.
  void SetStart(std::uint64_t user_ns, std::uint64_t system_ns, std::uint64_t monotonic_ns);
  /// CPU time that the process had used when it was about to execute the sampled image: a part of
  /// the process's time, but not of the image's. After SetStart.
  void SetEarlierImages(std::uint64_t user_ns, std::uint64_t system_ns);
  /// All threads have their events now: moves the start to what they had used when they got them.
  /// Opening the events of 500 threads takes 50 ms, and longer on a busy machine; what a thread ran
  /// in that time without an event is no loss of the sampling. `before`: as given to SetStart.
  void StartFromThreads(const ProcessStat& before);
  /// The process of `before` has executed a program, which is this image: continues its clock.
  void Continue(const ProcessImage& before, std::uint64_t monotonic_ns);
  void SetParent(std::uint32_t parent_pid, std::uint32_t depth);
  /// Replaces the reason that the surroundings' header gives.
  void SetSourceReason(const std::string& reason);
  std::uint32_t depth() const { return header_.depth; }
  /// CPU time of the image, as far as it is known now.
  std::uint64_t spent_ns() const {
    return header_.user_ns - header_.start_user_ns + header_.system_ns - header_.start_system_ns;
  }
  /// Makes spent_ns `ns` if it is less. What is missing counts as system time, since user time is
  /// in the samples.
  void RaiseSpent(std::uint64_t ns);

  /// A mapping appears (a record of the kernel).
  void AddMapping(const RegionIndex::Mapping& mapping);
  /// A thread is there. `sampled`: it has events. `times`: now; may be null.
  void AddThread(pid_t tid, bool sampled, const std::string& name, const TaskTimes* times,
                 std::uint64_t now_ns);
  bool HasThread(pid_t tid) const { return threads_.Has(tid); }
  /// Number of threads that have not ended.
  std::size_t live_threads() const { return threads_.live().size(); }
  /// Calls `visit(tid)` for each of them.
  template <class Visit>
  void ForEachThread(Visit&& visit) const {
    for (const auto& [tid, thread] : threads_.live()) visit(tid);
  }
  void NameThread(pid_t tid, const std::string& name) { threads_.Rename(tid, name, OpenSpool()); }
  /// A thread has ended: the remainder of its periods is added.
  void EndThread(pid_t tid);

  /// Where a sample was taken. `origin`: number of the event, which is one for each processor.
  struct Sample {
    std::size_t column = 0;
    std::uint64_t origin = 0;
    pid_t tid = 0;
    std::uint64_t pc = 0;
    std::uint64_t weight = 0;
    /// Return addresses, innermost first; the chain's end is unknown
    const std::uint64_t* callers = nullptr;
    std::size_t caller_count = 0;
    bool deep = false;                   ///< The kernel's limit cut the chain
    const StackSample* stack = nullptr;  ///< Registers and stack; nullptr: not recorded
  };
  void OnSample(const Sample& sample);
  /// Where the thread was at its last sample of the open spool; nullptr: it has none.
  const BucketSegment::Key* LastPlaceOf(pid_t tid);
  void OnLost(std::size_t column, std::uint64_t count);
  void OnThrottled(std::size_t column);

  /// Creates the spool, which must not be open. False: not possible, and said once.
  bool MakeSpool();
  /// The following require an open spool.
  SpoolWriter& spool() { return *spool_; }
  RegionIndex& regions() { return mappings_.regions(); }
  /// nullptr: neither callers of samples nor waits are recorded.
  CallerChains* chains() { return chains_.get(); }
  std::uint32_t RegionOf(std::uint64_t pc);
  /// The record of a thread, made at first use; kMergedThread: the thread has none of its own.
  std::uint32_t ThreadRecordOf(pid_t tid);
  /// Begin of the image (CLOCK_MONOTONIC).
  std::uint64_t start_ns() const { return header_.start_monotonic_ns; }

  /// Writes times and losses into the header: `stat` of the process, null if it is gone.
  /// `own_ns`: CPU time of this profiler for all processes.
  void Update(const ProcessStat* stat, std::uint64_t now_ns, std::uint64_t own_ns);
  /// Reads the times of all threads, which costs 10 us each. `now_ns`: CLOCK_MONOTONIC.
  void ReadThreadTimes(std::uint64_t now_ns) { threads_.ReadTimes(Folder(), now_ns); }
  /// Update at the end of the image or at the detaching, with the times of threads as they were
  /// read last. `times_are_known`: that was just now. Later calls do nothing.
  void Finish(spool::End end, std::uint32_t detail, const ProcessStat* stat, bool times_are_known,
              std::uint64_t now_ns, std::uint64_t own_ns);
  bool finished() const { return finished_; }
  /// Removes the spool.
  void Discard();

 private:
  struct Unmap {
    void operator()(CallerChains* chains) const;
    void operator()(PythonFrames* python) const;
  };

  void Take(const RegionIndex::Mapping& mapping);
  std::uint32_t ChainOf(const Sample& sample);
  /// Counts a sample that has its place.
  void Count(const BucketSegment::Key& key, std::size_t column, std::uint64_t weight);
  /// `times_are_known`: ImageThread::last is of this moment, so the remainders are exact.
  void AddRemainders(ImageThread& thread, bool times_are_known);
  /// nullptr: there is none yet.
  SpoolWriter* OpenSpool() { return has_spool() ? spool_.get() : nullptr; }
  /// User time as a share of all CPU time, where the clock counts only user time; else 1.
  double SampledShare() const;
  std::string Folder() const { return surroundings_.proc + "/" + std::to_string(pid_); }

  const Surroundings& surroundings_;
  pid_t pid_;
  unsigned generation_;
  spool::Header header_;  ///< Copied into the spool; times go to the spool's own
  std::uint64_t base_user_ns_ = 0;
  std::uint64_t base_system_ns_ = 0;
  ImageMappings mappings_;
  ImageThreads threads_;
  SpreadNumbers numbers_;
  std::uint64_t sampled_ns_ = 0;
  std::uint64_t bad_stacks_ = 0;
  std::uint64_t short_threads_ns_ = 0;  ///< Of threads without a sample, at the end
  bool has_agent_ = false;
  bool failed_ = false;  ///< No spool could be made
  bool finished_ = false;
  bool maps_read_ = false;
  std::unique_ptr<SpoolWriter> spool_;
  std::unique_ptr<CallerChains, Unmap> chains_;
  std::unique_ptr<PythonFrames, Unmap> python_;
};

}  // namespace csink::attach

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "agent/attach/process_image.h"
#include "agent/attach/program_frames.h"
#include "agent/waiting/observed_process.h"
#include "agent/waiting/thread_looks.h"

namespace csink::attach {

/// The waits of one process image, looked at from outside (agent::ThreadLooks): /proc/PID, and
/// memory by process_vm_readv, which needs the right to trace the process. The process is not
/// stopped.
///
/// Owns:    0.8 MiB of memory that fills on demand; descriptors of the files in /proc.
/// Threads: one.
class ImageWaits final : private agent::ObservedProcess {
 public:
  /// `proc`: "/proc". `image` must have a spool and outlive the object. Throws std::bad_alloc.
  ImageWaits(const std::string& proc, ProcessImage& image);
  ImageWaits(const ImageWaits&) = delete;
  ImageWaits& operator=(const ImageWaits&) = delete;
  ~ImageWaits();

  /// Looks at all threads of the image. `most_files`: how many descriptors may stay open.
  /// Does nothing after a failure.
  void Moment(std::size_t most_files);
  /// Threads of the last moment.
  std::uint32_t threads() const { return count_; }
  /// Descriptors that are open.
  std::size_t files() const { return looks_->kept_files(); }
  /// Not 0: the observation has ended, and the errno of why.
  int failure() const { return failure_; }

 private:
  std::uint32_t RegionFor(std::uint64_t pc) noexcept override { return image_.RegionOf(pc); }
  std::uint32_t ThreadRecordOf(const agent::WatchedThread& thread) noexcept override {
    return image_.ThreadRecordOf(thread.tid);
  }
  std::uint32_t Phase() noexcept override { return 0; }
  CallerChains* Chains() noexcept override { return image_.chains(); }
  bool HasThread(pid_t tid) noexcept override;
  const agent::WatchedThread* FindThread(pid_t tid) noexcept override;
  LastPlace LastPlaceOf(const agent::WatchedThread& thread) noexcept override;
  SyscallLine NativeCall(const SyscallLine& line) noexcept override;
  void CountLook() noexcept override {}

  /// Adds the image's new threads and drops those that have ended.
  void UpdateThreads();

  ProcessImage& image_;
  const std::string folder_;
  ProgramFrames frames_;
  bool is_i386_ = false;
  /// The process is in another pid namespace, in which its threads have other numbers.
  bool is_renumbered_ = false;
  agent::ThreadLooks* looks_;
  std::unordered_map<pid_t, agent::WatchedThread> threads_;
  /// The number here of a thread by its number in the process's own namespace, if those differ.
  std::unordered_map<pid_t, pid_t> outer_;
  std::uint32_t count_ = 0;
  int failure_ = 0;
};

}  // namespace csink::attach

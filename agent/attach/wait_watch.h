#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "agent/attach/image_waits.h"
#include "agent/attach/process_image.h"
#include "agent/waiting/look_clock.h"

namespace csink::attach {

/// Observes blocked threads (CSINK_WAIT) of all processes of a session from outside, at random
/// moments.
/// Threads: one.
class WaitWatch {
 public:
  /// Begins at `now_ns` (CLOCK_MONOTONIC). `proc`: "/proc"; borrowed.
  WaitWatch(const std::string& proc, std::uint64_t now_ns);
  /// How many descriptors of threads may stay open; 0 at first.
  void set_most_files(std::size_t most_files) { most_files_ = most_files; }

  /// When the next moment is due (CLOCK_MONOTONIC).
  std::uint64_t next_ns() const { return next_ns_; }
  /// Looks at the threads of `images`, whose records up to now were taken, and chooses the next
  /// moment. `root`: the process that was attached, which gets a spool at once; others get one if
  /// they live for 50 ms. `since_ns`: this thread's CPU time before those records were taken.
  void Moment(const std::map<pid_t, std::unique_ptr<ProcessImage>>& images, pid_t root,
              std::uint64_t now_ns, std::uint64_t since_ns);
  /// The image of this process ends; call before it is destroyed.
  void Forget(pid_t pid) { waits_.erase(pid); }
  /// Why the threads of a process cannot be observed, in words for the user. The first process
  /// alone, and once; else empty.
  std::string TakeComplaint();

 private:
  /// Makes the image's object where the image is to be observed. nullptr: not now.
  ImageWaits* WaitsOf(ProcessImage& image, bool is_root, std::uint64_t now_ns);
  void NoteFailure(pid_t pid, int error);

  const std::string& proc_;
  std::size_t most_files_ = 0;
  agent::LookClock clock_;
  std::uint64_t next_ns_;
  std::map<pid_t, std::unique_ptr<ImageWaits>> waits_;
  std::string complaint_;
  bool complained_ = false;
};

/// How many descriptors the observer may keep open: half of those that are left under the limit.
std::size_t FilesForWaits();

}  // namespace csink::attach

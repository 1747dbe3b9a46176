#include "agent/attach/wait_watch.h"

#include <errno.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "agent/waiting/thread_files.h"
#include "core/machine/clocks.h"

/// File: see the header.

namespace csink::attach {
std::size_t FilesForWaits() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  std::error_code ignored;
  const std::filesystem::directory_iterator open("/proc/self/fd", ignored);
  const auto used = static_cast<std::size_t>(std::distance(open, {}));
  const std::size_t all = static_cast<std::size_t>(limit.rlim_cur);
  return all <= used ? 0 : std::min((all - used) / 2, agent::MostKeptFiles());
}

WaitWatch::WaitWatch(const std::string& proc, std::uint64_t now_ns) : proc_(proc) {
  clock_.Start(now_ns);
  next_ns_ = now_ns + clock_.NextNs();
}

ImageWaits* WaitWatch::WaitsOf(ProcessImage& image, bool is_root, std::uint64_t now_ns) {
  const auto found = waits_.find(image.pid());
  if (found != waits_.end()) return found->second.get();
  // A process that has the agent observes itself.
  if (image.has_agent() || image.finished()) return nullptr;
  if (!is_root && now_ns < image.start_ns() + agent::ThreadLooks::kSpoolAfterNs) return nullptr;
  if (!image.has_spool() && !image.MakeSpool()) return nullptr;
  return (waits_[image.pid()] = std::make_unique<ImageWaits>(proc_, image)).get();
}

void WaitWatch::Moment(const std::map<pid_t, std::unique_ptr<ProcessImage>>& images, pid_t root,
                       std::uint64_t now_ns, std::uint64_t since_ns) {
  std::size_t files = 0;
  for (const auto& [pid, waits] : waits_) files += waits->files();
  std::uint64_t threads = 0;
  for (const auto& [pid, image] : images) {
    ImageWaits* waits = WaitsOf(*image, pid == root, now_ns);
    if (waits == nullptr || waits->failure() != 0) continue;
    files -= waits->files();
    waits->Moment(most_files_ - std::min(most_files_, files));
    files += waits->files();
    threads += waits->threads();
    if (waits->failure() != 0) NoteFailure(pid, waits->failure());
  }
  clock_.NoteCost(ThreadCpuNs() - since_ns, threads);
  next_ns_ = MonotonicNs() + clock_.NextNs();
}

void WaitWatch::NoteFailure(pid_t pid, int error) {
  // The process is gone, and the record of its end was lost.
  if (complained_ || error == ENOENT) return;
  complained_ = true;
  const std::string number = std::to_string(pid);
  complaint_ = "blocked threads of process " + number + " are not observed: ";
  if (error == ENOTSUP) {
    complaint_ += "this kernel keeps no times of threads (/proc/" + number + "/task/*/schedstat)";
  } else if (error == EPERM || error == EACCES) {
    complaint_ += "/proc/" + number +
                  "/task/*/syscall cannot be read without the right to trace the process: that of "
                  "the same user where kernel.yama.ptrace_scope is 0, or CAP_SYS_PTRACE";
  } else {
    complaint_ += "/proc/" + number + "/task/*/syscall cannot be read: " + std::strerror(error);
  }
}

std::string WaitWatch::TakeComplaint() {
  std::string complaint;
  complaint.swap(complaint_);
  return complaint;
}

}  // namespace csink::attach

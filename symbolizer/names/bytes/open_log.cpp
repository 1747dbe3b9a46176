#include "symbolizer/names/bytes/open_log.h"

#include <algorithm>

/// File: records which files an answer depends on. Several threads work on one answer, hence the
/// lock; the log of a thread is found by a thread-local pointer, so that no function between needs
/// a parameter for it.

namespace csink::symbolizer {

thread_local OpenLog* OpenLog::current_ = nullptr;

void OpenLog::Add(FileMark mark) {
  // A file below /proc/PID vanishes with its process, and its build id was compared with the mapped
  // one. Its mark would make the answer invalid as soon as the process ends.
  if (mark.path.starts_with("/proc/")) return;
  const std::lock_guard lock(mutex_);
  const auto same = std::find_if(marks_.begin(), marks_.end(),
                                 [&](const FileMark& m) { return m.path == mark.path; });
  if (same == marks_.end()) {
    marks_.push_back(std::move(mark));
  } else if (!(*same == mark)) {
    has_trouble_ = true;  // The file changed while the answer was made
  }
}

void OpenLog::AddTrouble() {
  const std::lock_guard lock(mutex_);
  has_trouble_ = true;
}

bool OpenLog::has_trouble() const {
  const std::lock_guard lock(mutex_);
  return has_trouble_;
}

std::vector<FileMark> OpenLog::marks() const {
  const std::lock_guard lock(mutex_);
  return marks_;
}

}  // namespace csink::symbolizer

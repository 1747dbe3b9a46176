#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// The state of a file that an answer depends on, at the time it was looked at. Only size and time
/// are recorded, not the inode or device: several machines with the same package can then share a
/// cache folder. A file that was looked for in vain has a mark, too: a debug package that is
/// installed later must make the cached answer invalid.
struct FileMark {
  std::string path;
  bool exists = false;        ///< False: the file was looked for and did not exist
  std::uint64_t size = 0;     ///< Bytes
  std::int64_t mtime_ns = 0;  ///< Since the epoch

  /// Whether the file is in the same state, by all four members.
  bool operator==(const FileMark&) const = default;
};

/// Records which files were opened, and which did not exist, while an answer was made. A cache
/// compares the marks later and drops the answer if one of the files changed. ObjectBytes::Open
/// adds to the log of its thread, so that the code between the cache and the file need not pass a
/// log on. A thread that works for another one must use that thread's log: `OpenLog::Scope
/// scope(log)`, where `log` is the other thread's `OpenLog::Current()`.
///
/// Files below /proc are not recorded: the process ends, and the build id was compared.
/// Owns:    its marks; a Scope owns nothing, and its log must outlive it.
/// Threads: any; a mutex protects the marks, since several threads may open files for one answer.
class OpenLog {
 public:
  /// Makes `log` (null: none) the log of this thread while the scope lives. The destructor restores
  /// the log before; so scopes nest, and must end on the thread and in the order in which they
  /// began.
  class Scope {
   public:
    explicit Scope(OpenLog* log) : before_(current_) { current_ = log; }
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    OpenLog* before_;
  };
  /// The log of the calling thread; null: none, and nothing is recorded.
  static OpenLog* Current() { return current_; }

  /// Records one file. A path that was recorded before in another state counts as trouble: the file
  /// changed while the answer was made, so no single state belongs to the answer.
  void Add(FileMark mark);
  /// Records that something failed which may succeed later (no permission, no free descriptors):
  /// the answer must not be cached.
  void AddTrouble();

  /// Whether the answer must not be cached.
  bool has_trouble() const;
  /// Each path once, in the order of the first access.
  std::vector<FileMark> marks() const;

 private:
  static thread_local OpenLog* current_;
  mutable std::mutex mutex_;
  std::vector<FileMark> marks_;
  bool has_trouble_ = false;
};

}  // namespace csink::symbolizer

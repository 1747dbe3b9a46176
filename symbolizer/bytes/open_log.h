#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// A file that an answer depends on, as it was when it was looked at. Size and time alone: a
/// folder that several machines share is of use to all that have the same package.
struct FileMark {
  std::string path;
  bool exists = false;        ///< false: it was looked for in vain
  std::uint64_t size = 0;     ///< Bytes
  std::int64_t mtime_ns = 0;  ///< Since the epoch

  bool operator==(const FileMark&) const = default;
};

/// What was opened, and looked for in vain, while an answer was made: whoever keeps the answer
/// asks again when one of these changed. ObjectBytes::Open tells the log of its thread; a thread
/// that works for another takes the other's log over: `OpenLog::Scope scope(log)` with
/// `log = OpenLog::Current()` from there.
///
/// Views of a process that goes away (/proc/...) are left out: the build id vouches for them.
/// Threads: any.
class OpenLog {
 public:
  /// Makes `log` (null: none) that of this thread while it lives.
  class Scope {
   public:
    explicit Scope(OpenLog* log) : before_(current_) { current_ = log; }
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    OpenLog* before_;
  };
  static OpenLog* Current() { return current_; }

  void Add(FileMark mark);
  /// Something failed that may not fail again (no permission, no descriptors): nothing of this
  /// answer is to be kept.
  void AddTrouble();

  bool has_trouble() const;
  /// Each path once, in the order of the first look.
  std::vector<FileMark> marks() const;

 private:
  static thread_local OpenLog* current_;
  mutable std::mutex mutex_;
  std::vector<FileMark> marks_;
  bool has_trouble_ = false;
};

}  // namespace csink::symbolizer

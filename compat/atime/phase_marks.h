#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/util/unique_fd.h"

namespace csink::marks {
struct MarkFile;
}

namespace csink::atime {

/// A mark that a process of the program has set (csink_mark of csink.h).
struct PhaseMark {
  std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC_RAW
  std::string name;
};

/// Receives the marks of the programs that are started while it exists, by libcsink-marks.so, which
/// it names in LD_PRELOAD.
/// Owns:    the shared memory, and LD_PRELOAD and ATIME_MARKS of this process.
/// Threads: one.
class PhaseMarks {
 public:
  PhaseMarks() = default;
  PhaseMarks(const PhaseMarks&) = delete;
  PhaseMarks& operator=(const PhaseMarks&) = delete;
  ~PhaseMarks();

  /// False, with a line on stderr: there is no library or no memory.
  bool Open();
  /// Forgets the marks of the run before. No program may run.
  void Clear() noexcept;
  /// The marks so far, by time. Says on stderr how many had no room.
  std::vector<PhaseMark> Take() const;

 private:
  UniqueFd fd_;
  marks::MarkFile* file_ = nullptr;
};

}  // namespace csink::atime

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// File: the memory in which libcsink-marks.so notes the marks of a program for atime. atime makes
/// it (memfd_create) and names it in the environment; each process of the program maps it.

namespace csink::marks {

/// The variable that names the file: "/proc/PID/fd/N" of atime.
inline constexpr char kVariable[] = "ATIME_MARKS";
inline constexpr std::uint64_t kMagic = 0x31736b72616d7363;  // "csmarks1"
/// As csink.h has it.
inline constexpr std::size_t kMostNameBytes = 200;
/// 7.3 MB; the kernel gives memory to what is used only.
inline constexpr std::uint32_t kMostMarks = 32'768;

/// One mark. `time_ns` is stored last; 0: not complete.
struct Mark {
  std::atomic<std::int64_t> time_ns;  ///< CLOCK_MONOTONIC_RAW, the clock of libapapi's times
  std::uint32_t name_bytes;
  std::uint32_t reserved;
  char name[kMostNameBytes + 8];  ///< Without NUL
};
static_assert(sizeof(Mark) == 224 && std::atomic<std::int64_t>::is_always_lock_free);

/// The file.
struct MarkFile {
  std::uint64_t magic;
  std::atomic<std::uint32_t> count;  ///< Marks that were begun; may exceed kMostMarks
  std::uint32_t reserved;
  Mark marks[kMostMarks];
};

}  // namespace csink::marks

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: what is mapped where in this process, and which build it is.
///
/// The kernel's text is treated as foreign bytes: a line that is not a mapping is
/// skipped, a line that is too long loses the end of its path. Nothing here
/// touches the mappings themselves; ReadBuildId asks the kernel to copy, so an
/// image that is unmapped at that moment gives no build-id instead of a fault.
///
/// Signals: everything here is safe (maps_signal.cpp, build_id_signal.cpp): no
/// heap, no libc, errno kept. Stack: less than 6 KiB.

namespace csink {

/// One line of /proc/*/maps.
struct MapsLine {
  std::uint64_t start = 0;
  std::uint64_t end = 0;     ///< > start
  std::uint64_t offset = 0;  ///< In the file
  std::uint64_t inode = 0;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  /// The path ended in " (deleted)", which is cut off it. (A living file whose
  /// name really ends so looks the same: the kernel does not tell them apart.)
  bool deleted = false;
  bool path_cut = false;  ///< The line was longer than MapsReader::kMaxLine
  /// Where offset 0 of the same file is mapped, in this mapping or in the nearest
  /// one before it with only its own and anonymous mappings between: the address
  /// of the ELF header of the image that this mapping belongs to. 0: not known.
  std::uint64_t image_start = 0;
  /// As the kernel writes it: "/usr/lib/libfoo.so", "[vdso]", "" for anonymous
  /// memory; a newline in a name stands as \012. Valid during the visit only.
  std::string_view path;
};

/// Called for each mapping in address order. False ends the walk.
using MapsVisitor = bool (*)(const MapsLine& line, void* arg);

/// Cuts text that arrives in pieces into mappings.
/// Threads: one at a time.
class MapsReader {
 public:
  /// PATH_MAX and everything that stands before a path.
  static constexpr std::size_t kMaxLine = 4096 + 128;

  MapsReader(MapsVisitor visitor, void* arg) noexcept : visitor_(visitor), arg_(arg) {}

  /// Takes the next piece, of any size. False: the visitor has ended the walk.
  bool Feed(std::string_view piece) noexcept;

  /// Where the next piece may be written in place, to be handed over by Commit.
  char* space() noexcept { return buffer_ + used_; }
  std::size_t space_bytes() const noexcept { return kMaxLine - used_; }  ///< Never 0
  bool Commit(std::size_t size_bytes) noexcept;

  /// The end of the text: a last line without a newline counts.
  bool Finish() noexcept;

 private:
  bool Line(std::string_view text) noexcept;

  MapsVisitor visitor_;
  void* arg_;
  std::size_t used_ = 0;   ///< buffer_[0, used_) is the unfinished line
  bool skipping_ = false;  ///< The rest of a line that was cut
  bool stopped_ = false;
  MapsLine image_;  ///< The last mapping of an offset 0, without its path
  char buffer_[kMaxLine];
};

/// Reads one line. False when it is not one of /proc/*/maps. image_start is left 0.
bool ParseMapsLine(std::string_view text, MapsLine& line) noexcept;

/// Visits every mapping that `proc_path` lists; use "/proc/thread-self/maps":
/// /proc/self/maps is empty after the main thread has left by pthread_exit.
/// The kernel's list is not a snapshot: what changes during the walk may appear
/// twice or not at all. An empty list is success with no visit.
/// Errors: what open or read said (kNoEvent means: no such file).
Result<void> ForEachMapping(const char* proc_path, MapsVisitor visitor, void* arg) noexcept;

/// The same with a reader of the caller's, for signal handlers on a small
/// alternate stack: needs less than 500 bytes of it.
Result<void> ForEachMapping(const char* proc_path, MapsReader& reader) noexcept;

inline constexpr std::size_t kMaxBuildIdBytes = 20;

/// The GNU build-id of the ELF image in this process whose header is mapped at
/// `elf_header_address`; a longer one is cut. Returns its length, 0: none, or
/// not readable, or not an ELF image.
std::size_t ReadBuildId(std::uint64_t elf_header_address,
                        std::uint8_t (&out)[kMaxBuildIdBytes]) noexcept;

}  // namespace csink

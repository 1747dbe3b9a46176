#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/maps_line.h"
#include "core/util/result.h"

/// File: what is mapped where in this process, and the build-ids of mapped images.
///
/// The kernel's text is treated as untrusted input: a line that is not a mapping is skipped, and a
/// line that is too long loses the end of its path. The mapped memory itself is never accessed
/// directly; ReadBuildId lets the kernel copy it, so an image that is unmapped meanwhile gives no
/// build-id instead of a fault.
///
/// Signals: all functions are safe (maps_signal.cpp, build_id_signal.cpp): no heap, no libc, errno
/// is kept. Stack: less than 6 KiB.

namespace csink {

/// Called for each mapping in address order. Returning false ends the walk.
using MapsVisitor = bool (*)(const MapsLine& line, void* arg);

/// Splits text that arrives in pieces into lines, and calls a visitor for each mapping.
/// Owns: a line buffer (4 KiB). Threads: one at a time. Signals: safe.
class MapsReader {
 public:
  /// Bytes of a line without its newline: PATH_MAX, and room for everything before a path. A longer
  /// line loses the end of its path (path_cut).
  static constexpr std::size_t kMaxLine = 4096 + 128;

  /// Calls `visitor(line, arg)` for each mapping, from within Feed, Commit or Finish.
  MapsReader(MapsVisitor visitor, void* arg) noexcept : visitor_(visitor), arg_(arg) {}
  /// The root folder of the process, in which names are looked up ("/proc/PID/root"); nullptr: this
  /// process's own. Must outlive the reader.
  void set_root(const char* root) noexcept { root_ = root; }

  /// Takes the next piece of text, of any size. Returns false if the visitor has ended the walk;
  /// further text is then ignored.
  bool Feed(std::string_view piece) noexcept;

  /// The buffer into which the next piece may be read directly; Commit then takes it.
  char* space() noexcept { return buffer_ + used_; }
  std::size_t space_bytes() const noexcept { return kMaxLine - used_; }  ///< Never 0
  /// Takes `size_bytes` bytes that the caller has written to space(), at most space_bytes().
  /// Returns false as Feed.
  bool Commit(std::size_t size_bytes) noexcept;

  /// Ends the text; a last line without a newline is a line, too. Returns false as Feed.
  bool Finish() noexcept;

 private:
  /// Parses one complete line of `bytes` bytes, decodes its name in place, finds its image_start
  /// and calls the visitor. `text[bytes]` is overwritten.
  bool Line(char* text, std::size_t bytes) noexcept;

  MapsVisitor visitor_;
  void* arg_;
  const char* root_ = nullptr;
  std::size_t used_ = 0;   ///< buffer_[0, used_) holds the unfinished line
  bool skipping_ = false;  ///< The remainder of a line that was cut is being skipped
  bool stopped_ = false;
  MapsLine image_;  ///< The last mapping with offset 0, without its path
  char buffer_[kMaxLine + 1];
};

/// Visits each mapping in `proc_path`; `arg` is passed to the visitor. Use
/// "/proc/thread-self/maps": /proc/self/maps is empty after the main thread has left by
/// pthread_exit. The list is not a snapshot: a mapping that changes during the walk may appear
/// twice or not at all. An empty list is a success without a visit. Names are looked up in the root
/// folder beside another process's "maps".
/// Errors: ErrcFromErrno of opening or reading (kNoEvent: there is no such file).
Result<void> ForEachMapping(const char* proc_path, MapsVisitor visitor, void* arg) noexcept;

/// The same with a reader of the caller's, for signal handlers on a small alternate stack: needs
/// less than 500 bytes of it.
Result<void> ForEachMapping(const char* proc_path, MapsReader& reader) noexcept;

/// Bytes of a build-id that are kept: those of SHA-1, which linkers write by default. The same
/// limit as the kernel's in mapping records (BUILD_ID_SIZE_MAX).
inline constexpr std::size_t kMaxBuildIdBytes = 20;

/// Reads the GNU build-id of the ELF image in this process whose header is mapped at
/// `elf_header_address`, from its PT_NOTE segments (NT_GNU_BUILD_ID). A longer build-id is cut to
/// kMaxBuildIdBytes. Returns its size in bytes; 0 if the image has none, is not readable, or is not
/// a 64-bit little-endian ELF image. `out` may be changed where 0 is returned.
std::size_t ReadBuildId(std::uint64_t elf_header_address,
                        std::uint8_t (&out)[kMaxBuildIdBytes]) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// File: the decoder of the kernel's descriptions of mappings, for the agent, csink-attach and the
/// csink tool: a line of /proc/PID/maps, and the name of the mapped file in it, in PROCMAP_QUERY's
/// answer, in a mapping record of perf_event_open(2), and in links such as /proc/PID/exe.
///
/// The text is untrusted: names in it are the program's.
/// Threads: any. Signals: safe; DecodeFileName makes system calls.

namespace csink {

/// One line of /proc/PID/maps (proc(5)).
struct MapsLine {
  std::uint64_t start = 0;
  std::uint64_t end = 0;     ///< > start
  std::uint64_t offset = 0;  ///< In the file
  /// 0 for memory without a file. Device and inode name the file, as in stat(2).
  std::uint64_t inode = 0;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  /// The file had no name any more.
  bool deleted = false;
  bool path_cut = false;  ///< The line was longer than MapsReader::kMaxLine, and the path is cut
  /// The address of the ELF header of the image that this mapping belongs to: where offset 0 of the
  /// same file is mapped, in this mapping or in the nearest one before it, with only mappings of
  /// that file and anonymous ones in between. 0: unknown.
  std::uint64_t image_start = 0;
  /// The file's name: "/usr/lib/libfoo.so", "[vdso]", or "" for anonymous memory. Any byte but NUL
  /// may be in it. Valid only during a visit.
  std::string_view path;
};

/// Parses one line without its newline. Returns false if it is not a line of /proc/PID/maps; `line`
/// is then undefined. Leaves image_start 0, since that needs the lines before, and `deleted` false:
/// `line.path` is the kernel's text, which DecodeFileName turns into the name. It points into
/// `text`.
bool ParseMapsLine(std::string_view text, MapsLine& line) noexcept;

/// What is known of a file whose name the kernel has written.
struct NamedFile {
  std::uint64_t inode = 0;  ///< 0: not known, and neither is the device
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  /// The text is from /proc/PID/maps, where a newline stands as \012. A backslash stands for
  /// itself, so that a name with these four characters looks the same.
  bool escaped = false;
};

struct DecodedName {
  std::size_t bytes = 0;  ///< Length of the name, which is at the begin of `text`
  bool deleted = false;   ///< The file has no name any more
};

/// Turns the kernel's text for a file's name into the name, in place. The kernel appends
/// " (deleted)" to a name that is gone, and a name may really end so: the file that has the name
/// now decides, by device and inode. A text without either ambiguity costs nothing.
///
/// `text[bytes]` must be writable; it is 0 afterwards. `root`: the root folder of the process, as
/// "/proc/PID/root"; nullptr: this process's own.
DecodedName DecodeFileName(char* text, std::size_t bytes, const NamedFile& file,
                           const char* root) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/names/bytes/owned_file.h"

/// File: reads /tmp/perf-PID.map, in which a JIT compiler records its functions: one line each,
/// "START SIZE NAME", both numbers in hexadecimal, the name up to the end of the line. Format:
/// linux/tools/perf/Documentation/jit-interface.txt. Later lines win, because a JIT reuses memory.
///
/// The file lies in a folder that every user can write to, so that no byte of it is trusted.

namespace csink::symbolizer {

/// One line of a map: code at [start, start + bytes).
struct PerfMapEntry {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::string_view name;  ///< Points into the text
};

/// Parses one line without its newline. Returns false for another format or a useless entry (no
/// bytes, no name, beyond the last address). Numbers may begin with 0x; blanks and a carriage
/// return around the name are dropped. `entry` is changed in any case.
bool ParsePerfMapLine(std::string_view line, PerfMapEntry& entry);

/// A name for one PC.
struct PerfMapName {
  std::string name;
  std::uint64_t start = 0;  ///< Start address of the function
};
/// The names that `text` has for `pcs` (process addresses; sorted, unique), in their order; "" for
/// none. Control characters become '?', names are cut at kMaxPerfMapName bytes. Lines that cannot
/// be parsed are ignored, and so is everything after kMaxPerfMapLines lines.
std::vector<PerfMapName> NamesFromPerfMap(std::string_view text,
                                          const std::vector<std::uint64_t>& pcs);

/// Limits for hostile files: bytes of a name, lines, bytes of a file. A larger file is not read.
inline constexpr std::size_t kMaxPerfMapName = 1024;
inline constexpr std::size_t kMaxPerfMapLines = 8u << 20;
inline constexpr std::size_t kMaxPerfMapBytes = 512u << 20;

/// The contents of a map, or why it was not read.
struct PerfMapText {
  std::string text;     ///< Empty: no map
  std::string problem;  ///< Why an existing file was not read; else empty
};

/// Reads `folder`/perf-PID.map if the file can be trusted (bytes/owned_file.h). PID is the number
/// of the process in its own pid namespace.
PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner);

/// `name` with '?' for each control character, cut at kMaxPerfMapName bytes: names are shown in
/// terminals. Also used for jitdump.
std::string PrintableName(std::string_view name);

}  // namespace csink::symbolizer

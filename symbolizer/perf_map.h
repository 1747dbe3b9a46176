#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// File: what a JIT says about its own code, /tmp/perf-PID.map: a line a function,
/// "START SIZE NAME", both numbers in hexadecimal, the name to the line's end (the format
/// of perf's jit-interface.txt). Later lines win: a JIT uses memory again.
///
/// The file lies where anybody may write and is taken as hostile.

namespace csink::symbolizer {

struct PerfMapEntry {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::string_view name;  ///< Into the text
};

/// Parses one line without its newline. False: not of this format, or of no use (no
/// bytes, no name, beyond the last address).
bool ParsePerfMapLine(std::string_view line, PerfMapEntry& entry);

/// The name that `text` gives each of `pcs` (ascending, unique); "" where it has none.
/// Control characters become '?', names are cut at kMaxPerfMapName. Lines that do not
/// parse are passed over, and everything behind kMaxPerfMapLines.
struct PerfMapName {
  std::string name;
  std::uint64_t start = 0;  ///< Of the function
};
std::vector<PerfMapName> NamesFromPerfMap(std::string_view text,
                                          const std::vector<std::uint64_t>& pcs);

inline constexpr std::size_t kMaxPerfMapName = 1024;
inline constexpr std::size_t kMaxPerfMapLines = 8u << 20;
inline constexpr std::size_t kMaxPerfMapBytes = 512u << 20;

/// Whose map, and of which run.
struct PerfMapOwner {
  std::uint32_t pid = 0;  ///< 0: unknown, no map
  std::uint32_t uid = 0;
  std::uint64_t start_realtime_ns = 0;  ///< 0: unknown; an older file is another process's
};

struct PerfMapText {
  std::string text;     ///< Empty: no map
  std::string problem;  ///< Empty, or why the file that is there was not read
};

/// Reads `folder`/perf-PID.map. Only a regular file with one name that belongs to the
/// process's user or to root, and was written after the process began.
PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner);

}  // namespace csink::symbolizer

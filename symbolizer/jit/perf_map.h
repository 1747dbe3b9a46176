#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/bytes/owned_file.h"

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

struct PerfMapText {
  std::string text;     ///< Empty: no map
  std::string problem;  ///< Empty, or why the file that is there was not read
};

/// Reads `folder`/perf-PID.map, if it is to be trusted (owned_file.h). The number is the one that
/// the process has in its own pid namespace.
PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner);

/// `name` without control characters and no longer than kMaxPerfMapName.
std::string PrintableName(std::string_view name);

}  // namespace csink::symbolizer

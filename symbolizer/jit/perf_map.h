#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/bytes/owned_file.h"

/// File: reads /tmp/perf-PID.map, in which a JIT compiler records its functions: one line each,
/// "START SIZE NAME", both numbers in hexadecimal, the name up to the end of the line. Format:
/// linux/tools/perf/Documentation/jit-interface.txt. Later lines win, because a JIT reuses memory.
///
/// The file lies in a folder that every user can write to, so that no byte of it is trusted.

namespace csink::symbolizer {

struct PerfMapEntry {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::string_view name;  ///< Points into the text
};

/// Parses one line without its newline. False: another format, or a useless entry (no bytes, no
/// name, beyond the last address).
bool ParsePerfMapLine(std::string_view line, PerfMapEntry& entry);

/// The names that `text` has for `pcs` (sorted, unique), in their order; "" for none. Control
/// characters become '?', names are cut at kMaxPerfMapName bytes. Lines that cannot be parsed are
/// ignored, and so is everything after kMaxPerfMapLines lines.
struct PerfMapName {
  std::string name;
  std::uint64_t start = 0;  ///< Start address of the function
};
std::vector<PerfMapName> NamesFromPerfMap(std::string_view text,
                                          const std::vector<std::uint64_t>& pcs);

inline constexpr std::size_t kMaxPerfMapName = 1024;
inline constexpr std::size_t kMaxPerfMapLines = 8u << 20;
inline constexpr std::size_t kMaxPerfMapBytes = 512u << 20;

struct PerfMapText {
  std::string text;     ///< Empty: no map
  std::string problem;  ///< Why an existing file was not read; else empty
};

/// Reads `folder`/perf-PID.map if the file can be trusted (bytes/owned_file.h). PID is the number
/// of the process in its own pid namespace.
PerfMapText ReadPerfMap(const std::string& folder, const PerfMapOwner& owner);

/// `name` with '?' for each control character, cut at kMaxPerfMapName bytes.
std::string PrintableName(std::string_view name);

}  // namespace csink::symbolizer

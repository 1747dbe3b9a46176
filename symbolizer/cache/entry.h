#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/bytes/bytes.h"
#include "symbolizer/bytes/open_log.h"
#include "symbolizer/resolve/resolver.h"

/// File: one file of the cache of names: what is known of one module at one level of detail.
///
/// Format, all numbers little-endian, ULEB128 where no size is given:
///   8 bytes "CSINKNAM", 4 bytes format version, 4 bytes CRC-32 of the rest, 8 bytes its size; then
///   texts:     number, then each as length and bytes; everything below names them by index
///   key:       text; the reader says which one it expects
///   flags:     1 has symbols, 2 has lines; debug file: text
///   marks:     number, then each: text of the path, exists, size, mtime (ns, zigzag)
///   locations: number, then by rising file offset: difference to the offset before, function,
///              raw name, clone, aliases, source, function's address, file, line, address, number
///              of frames and each of these: function, raw name, file and line of the call

namespace csink::symbolizer::cache {

/// Rises with every change of the format above.
inline constexpr std::uint32_t kFormatVersion = 1;
/// No file of the cache is larger.
inline constexpr std::uint64_t kMaxEntryBytes = 32u << 20;
/// A damaged file could name one long text many times: what is made of one file stays below this.
inline constexpr std::uint64_t kMaxDecodedBytes = 256u << 20;
inline constexpr std::uint64_t kMaxTexts = 2u << 20;
/// Nobody inlines deeper.
inline constexpr std::uint64_t kMaxFrames = 1024;

struct Entry {
  std::string key;
  bool has_symbols = false;
  bool has_lines = false;
  std::string debug_file;
  std::vector<FileMark> marks;
  std::vector<std::uint64_t> offsets;  ///< Ascending, unique
  std::vector<Location> locations;     ///< One per offset
};

/// The bytes of a file; empty when it would be too large.
std::string Encode(const Entry& entry);

/// Reads what Encode wrote, taken as hostile. Of the locations only those at the offsets of
/// `wanted` (ascending), or all where it is null. Nothing: damaged, of another version or key.
std::optional<Entry> Decode(Bytes bytes, std::string_view key,
                            const std::vector<std::uint64_t>* wanted);

}  // namespace csink::symbolizer::cache

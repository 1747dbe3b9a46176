#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/names/bytes/bytes.h"
#include "symbolizer/names/bytes/open_log.h"
#include "symbolizer/names/resolve/resolver.h"

/// File: one file of the cache: what is known about one module at one level of detail.
///
/// Format: all numbers are little-endian; those without a size are ULEB128.
///   8 bytes "CSINKNAM", 4 bytes format version, 4 bytes CRC-32 of the rest, 8 bytes size of the
///   rest
///   texts:     number, then for each: length, bytes. All texts below are indices into this list
///   key:       text; the reader compares it with the expected key
///   flags:     1: has symbols, 2: has lines; then the debug file: text
///   marks:     number, then for each: path (text), exists, size, mtime (ns, zigzag)
///   locations: number, then for each, by rising file offset: difference to the offset before,
///              function, raw name, clone, aliases, source, function's address, file, line,
///              address,
///              number of frames, and for each frame: function, raw name, file and line of the call

namespace csink::symbolizer::cache {

/// Incremented with every change of the format, and of the names that answers give. Entries of
/// other versions are not read; they are replaced by the next answer for their module.
inline constexpr std::uint32_t kFormatVersion = 3;
/// Largest size of a file of the cache (32 MiB): a file is read and written as a whole.
inline constexpr std::uint64_t kMaxEntryBytes = 32u << 20;
/// Limit for the decoded size: a damaged file could refer to one long text many times.
inline constexpr std::uint64_t kMaxDecodedBytes = 256u << 20;
/// Limit for the number of different texts in an entry.
inline constexpr std::uint64_t kMaxTexts = 2u << 20;
/// Limit for the depth of inlining; compilers stay below.
inline constexpr std::uint64_t kMaxFrames = 1024;

/// The contents of one file, decoded.
struct Entry {
  /// What the answer depends on besides files; compared as a whole (cached_resolver.cpp).
  std::string key;
  bool has_symbols = false;
  bool has_lines = false;
  std::string debug_file;
  /// The files that were opened, or looked for in vain, for the answer.
  std::vector<FileMark> marks;
  std::vector<std::uint64_t> offsets;  ///< Sorted, unique
  std::vector<Location> locations;     ///< One per offset
};

/// The bytes of a file; empty if it would be too large: more than kMaxEntryBytes, kMaxTexts or
/// kMaxFrames.
std::string Encode(const Entry& entry);

/// Decodes what Encode wrote; the bytes are not trusted. Returns only the locations for the offsets
/// in `wanted` (sorted), or all if it is null. nullopt: damaged, another version, or another key.
std::optional<Entry> Decode(Bytes bytes, std::string_view key,
                            const std::vector<std::uint64_t>* wanted);

}  // namespace csink::symbolizer::cache

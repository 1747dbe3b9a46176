#pragma once

#include <cstdint>

#include "symbolizer/names/bytes/bytes.h"

/// File: decompression of untrusted bytes, a whole buffer at a time. Every function returns an
/// empty buffer if the bytes are damaged, if they inflate to more than requested, or if memory is
/// short. elf/inflate_stream.h inflates piece by piece instead, for sections that are too large to
/// be in memory as a whole.
/// Threads: any; the functions share no state.

namespace csink::symbolizer {

/// Sections with a larger inflated size (1 GiB) are not read. A section of a few kilobytes can
/// claim terabytes.
inline constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;

/// A zlib stream (RFC 1950) of exactly `size` inflated bytes. Sections with SHF_COMPRESSED and
/// .zdebug_* sections tell the size in front of the stream.
Buffer InflateZlib(Bytes packed, std::uint64_t size);
/// Zstandard frames (RFC 8878) of exactly `size` inflated bytes, from sections with
/// ELFCOMPRESS_ZSTD.
Buffer InflateZstd(Bytes packed, std::uint64_t size);
/// An xz file of at most `max_size` inflated bytes. .gnu_debugdata does not tell its inflated size,
/// so the buffer grows until the file fits. The decoder itself may use 256 MiB.
Buffer InflateXz(Bytes packed, std::uint64_t max_size);

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>

#include "symbolizer/bytes/bytes.h"

/// File: decompression of untrusted bytes. Every function returns an empty buffer if the bytes are
/// damaged, or if they inflate to more than requested.

namespace csink::symbolizer {

/// Sections with a larger inflated size are not read. A section of a few kilobytes can claim
/// terabytes.
inline constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;

/// A zlib stream (RFC 1950) of exactly `size` inflated bytes.
Buffer InflateZlib(Bytes packed, std::uint64_t size);
/// Zstandard frames (RFC 8878) of exactly `size` inflated bytes.
Buffer InflateZstd(Bytes packed, std::uint64_t size);
/// An xz file of at most `max_size` inflated bytes. .gnu_debugdata does not tell its inflated size.
Buffer InflateXz(Bytes packed, std::uint64_t max_size);

}  // namespace csink::symbolizer

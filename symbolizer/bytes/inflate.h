#pragma once

#include <cstdint>

#include "symbolizer/bytes/bytes.h"

/// File: decompression of hostile bytes. Every function gives nothing when the
/// bytes are damaged or grow beyond what is asked for.

namespace csink::symbolizer {

/// A section never inflates beyond this.
inline constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;

/// zlib stream of exactly `size` inflated bytes.
Buffer InflateZlib(Bytes packed, std::uint64_t size);
/// zstd frames of exactly `size` inflated bytes.
Buffer InflateZstd(Bytes packed, std::uint64_t size);
/// An xz file of any size up to `max_size` (.gnu_debugdata says no size).
Buffer InflateXz(Bytes packed, std::uint64_t max_size);

}  // namespace csink::symbolizer

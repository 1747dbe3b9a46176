#include <cstdlib>
#include <cstring>

#include "symbolizer/names/bytes/inflate.h"

/// File: any bytes as a compressed section that claims any size: nothing, or exactly that size.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using csink::symbolizer::Bytes;
  constexpr std::uint64_t kMost = 1u << 20;
  if (size < 8) return 0;
  std::uint64_t claimed;
  std::memcpy(&claimed, data, sizeof claimed);
  const Bytes packed(data + 8, size - 8);
  const auto zlib = csink::symbolizer::InflateZlib(packed, claimed);
  const auto zstd = csink::symbolizer::InflateZstd(packed, claimed);
  const auto xz = csink::symbolizer::InflateXz(packed, kMost);
  if (zlib.size() != 0 && zlib.size() != claimed) std::abort();
  if (zstd.size() != 0 && zstd.size() != claimed) std::abort();
  if (xz.size() > kMost) std::abort();
  return 0;
}

#include "symbolizer/bytes/inflate.h"

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace csink::symbolizer {
namespace {

/// zlib packs at most 1032:1; a claim beyond that is a lie that would cost memory.
bool Believable(Bytes packed, std::uint64_t size, std::uint64_t ratio) {
  return size != 0 && size <= kMaxInflatedBytes && size / ratio <= packed.size();
}

}  // namespace

Buffer InflateZlib(Bytes packed, std::uint64_t size) {
  if (!Believable(packed, size, 1032)) return {};
  Buffer out(static_cast<std::size_t>(size));
  if (out.size() == 0) return {};
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  // Without a place for the size it must be exactly this one: we take nothing of a stream that has
  // more than the header said, or less.
  if (!inflater ||
      libdeflate_zlib_decompress(inflater.get(), packed.data(), packed.size(), out.data(),
                                 out.size(), nullptr) != LIBDEFLATE_SUCCESS) {
    return {};
  }
  return out;
}

Buffer InflateZstd(Bytes packed, std::uint64_t size) {
  // A run-length block is 4 bytes for 128 KiB.
  if (!Believable(packed, size, 1u << 16)) return {};
  Buffer out(static_cast<std::size_t>(size));
  if (out.size() == 0) return {};
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) return {};
  return out;
}

Buffer InflateXz(Bytes packed, std::uint64_t max_size) {
  constexpr std::uint64_t kMaxMemory = 256u << 20;
  std::size_t room = std::clamp<std::size_t>(packed.size() * 8, 1u << 16, 64u << 20);
  for (;;) {
    room = static_cast<std::size_t>(std::min<std::uint64_t>(room, max_size));
    Buffer out(room);
    if (out.size() == 0) return {};
    std::uint64_t memory = kMaxMemory;
    std::size_t in_used = 0;
    std::size_t out_used = 0;
    const lzma_ret ret = lzma_stream_buffer_decode(&memory, 0, nullptr, packed.data(), &in_used,
                                                   packed.size(), out.data(), &out_used, room);
    if (ret == LZMA_OK) {
      out.Shrink(out_used);
      return out;
    }
    if (ret != LZMA_BUF_ERROR || room >= max_size || in_used != 0) {
      // A full output buffer is told like a truncated input: both are LZMA_BUF_ERROR
      // with nothing consumed, so we try larger rooms up to the limit.
      return {};
    }
    room *= 4;
  }
}

}  // namespace csink::symbolizer

#include "symbolizer/names/bytes/inflate.h"

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

/// File: each function checks the claimed size first, then allocates the output once and lets the
/// library fill it. The libraries check the bounds of their input; what is left to check here is
/// how much memory an untrusted size may cost.

namespace csink::symbolizer {
namespace {

/// Whether the claimed size is possible: `ratio` is the best ratio of the compression. zlib
/// compresses at most 1032:1; a larger claim is damage, and would only cost memory. The division
/// avoids an overflow of packed.size() * ratio.
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
  // No pointer for the actual size is passed: then libdeflate accepts only a stream of exactly this
  // size.
  if (!inflater ||
      libdeflate_zlib_decompress(inflater.get(), packed.data(), packed.size(), out.data(),
                                 out.size(), nullptr) != LIBDEFLATE_SUCCESS) {
    return {};
  }
  return out;
}

Buffer InflateZstd(Bytes packed, std::uint64_t size) {
  // zstd's best case is a run-length block: 4 bytes for 128 KiB.
  if (!Believable(packed, size, 1u << 16)) return {};
  Buffer out(static_cast<std::size_t>(size));
  if (out.size() == 0) return {};
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) return {};
  return out;
}

Buffer InflateXz(Bytes packed, std::uint64_t max_size) {
  // The decoder's dictionary is as large as the file claims, up to 4 GiB. xz -9 needs 65 MiB
  // (xz(1)).
  constexpr std::uint64_t kMaxMemory = 256u << 20;
  // A first guess for the inflated size; the loop enlarges the buffer if it is too small.
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
      // LZMA_BUF_ERROR with no input consumed means either a full output buffer or a truncated
      // input. The two cannot be told apart, so the buffer grows up to the limit.
      return {};
    }
    room *= 4;
  }
}

}  // namespace csink::symbolizer

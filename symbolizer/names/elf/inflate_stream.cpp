#include "symbolizer/names/elf/inflate_stream.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

/// File: two decompressors behind one interface. Each call of Read runs the decompressor until the
/// output is full, and fetches packed bytes in pieces of 64 KiB when the decompressor has used up
/// its input. zlib streams are inflated by ISA-L, which works piece by piece at twice zlib's speed
/// (docs/design/symbolizer.md); libdeflate needs whole buffers.

namespace csink::symbolizer {
namespace {

/// Size of the pieces of packed bytes, and of discarded output. Small against the sections
/// (megabytes), large against the cost of a system call.
constexpr std::uint64_t kPieceBytes = 64 << 10;

/// Reads the compressed bytes of a section in pieces, from front to back.
class Packed {
 public:
  Packed(const ObjectBytes& object, std::uint64_t offset, std::uint64_t size)
      : object_(object), offset_(offset), left_(size), piece_(kPieceBytes) {}
  // The next piece; empty at the end or if the file cannot be read. Valid until the next call.
  Bytes Next() {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
    if (size == 0 || !object_.Read(offset_, size, piece_.data())) return {};
    offset_ += size;
    left_ -= size;
    return piece_.bytes().first(size);
  }

 private:
  const ObjectBytes& object_;
  std::uint64_t offset_;
  std::uint64_t left_;
  Buffer piece_;
};

/// zlib by ISA-L. The library verifies header and checksum, and refuses preset dictionaries.
class ZlibStream : public InflateStream {
 public:
  explicit ZlibStream(Packed packed)
      : packed_(std::move(packed)), state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_ZLIB;
  }

  bool Read(std::uint64_t size, std::uint8_t* to) override {
    if (to == nullptr && nowhere_.empty()) nowhere_.resize(kPieceBytes);
    const std::uint64_t most = to == nullptr ? nowhere_.size() : kMostBytes;
    while (size != 0) {
      const auto part = static_cast<std::uint32_t>(std::min(size, most));
      if (!Fill(to == nullptr ? nowhere_.data() : to, part)) return false;
      if (to != nullptr) to += part;
      size -= part;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kMostBytes = 1u << 30;  ///< The library's counters have 32 bits

  // Inflates exactly `size` bytes to `to`.
  bool Fill(std::uint8_t* to, std::uint32_t size) {
    state_->next_out = to;
    state_->avail_out = size;
    while (state_->avail_out != 0) {
      if (state_->avail_in == 0) {
        const Bytes piece = packed_.Next();
        state_->next_in = const_cast<std::uint8_t*>(piece.data());  // The library only reads it
        state_->avail_in = static_cast<std::uint32_t>(piece.size());
      }
      const std::uint32_t before = state_->avail_out;
      const bool had_input = state_->avail_in != 0;
      const int result = isal_inflate(state_.get());
      if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) return false;
      // The decompressor may hold back output for which it needs no more input. If it makes no
      // progress without new input, the stream is damaged.
      if (state_->avail_out == before && (!had_input || state_->avail_in != 0)) return false;
    }
    return true;
  }

  Packed packed_;
  std::unique_ptr<inflate_state> state_;
  std::vector<std::uint8_t> nowhere_;
};

/// zstd by libzstd's streaming interface.
class ZstdStream : public InflateStream {
 public:
  explicit ZstdStream(Packed packed) : packed_(std::move(packed)), state_(ZSTD_createDStream()) {
    // Limits the window to 128 MB. Object files do not have larger windows; a damaged header could
    // request gigabytes.
    if (state_ != nullptr) ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, 27);
  }
  ~ZstdStream() override { ZSTD_freeDStream(state_); }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;

  bool Read(std::uint64_t size, std::uint8_t* to) override {
    if (state_ == nullptr) return false;
    std::vector<std::uint8_t> nowhere;
    while (to == nullptr && size != 0) {
      nowhere.resize(kPieceBytes);
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, nowhere.size()));
      if (!Read(part, nowhere.data())) return false;
      size -= part;
    }
    if (to == nullptr) return true;
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size) {
      const std::size_t before = out.pos;
      // New input is fetched only if the decompressor has nothing left to give: a full output of
      // the call before may have left inflated bytes inside it.
      if (in_.pos == in_.size && !is_full_) {
        const Bytes piece = packed_.Next();
        if (piece.empty()) return false;
        in_ = {piece.data(), piece.size(), 0};
      }
      if (ZSTD_isError(ZSTD_decompressStream(state_, &out, &in_))) return false;
      // If the output is full, the decompressor may have more output without more input.
      is_full_ = out.pos == out.size;
      // Input is left, the output has room, and nothing was written: no progress is possible.
      if (out.pos == before && in_.pos != in_.size) return false;
    }
    return true;
  }

 private:
  Packed packed_;
  ZSTD_DStream* state_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool is_full_ = false;
};

}  // namespace

std::unique_ptr<InflateStream> InflateStream::Open(const ElfFile& file, std::size_t section) {
  const Elf64_Shdr& header = file.sections()[section];
  if ((header.sh_flags & SHF_COMPRESSED) == 0) {
    // A .zdebug_* section: ElfFile::ReadSection checks the magic number; here zlib's own header and
    // checksum find damage.
    constexpr std::uint64_t kOldHeader = 12;  // "ZLIB" and the size
    if (header.sh_size <= kOldHeader) return nullptr;
    return std::make_unique<ZlibStream>(
        Packed(file.object(), header.sh_offset + kOldHeader, header.sh_size - kOldHeader));
  }
  const std::size_t how = file.is_64() ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
  std::uint32_t type = 0;  // Both headers begin with ch_type
  if (header.sh_size <= how || !file.object().Read(header.sh_offset, sizeof(type), &type)) {
    return nullptr;
  }
  Packed packed(file.object(), header.sh_offset + how, header.sh_size - how);
  if (type == ELFCOMPRESS_ZLIB) return std::make_unique<ZlibStream>(std::move(packed));
  constexpr std::uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, missing in older headers
  if (type == kZstd) return std::make_unique<ZstdStream>(std::move(packed));
  return nullptr;
}

}  // namespace csink::symbolizer

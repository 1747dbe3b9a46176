#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

/// File: how the symbolizer reads bytes of files. The bytes are not trusted: every read is checked
/// against the end of the data, and fields are copied out by memcpy, because fields of ELF and
/// DWARF may lie at any address. All integers are little-endian; big-endian files are refused
/// before (elf/file.h), and the host is little-endian.
///
/// No function here throws or reports an error by name. Damage shows as an empty result or as
/// ByteReader::ok() == false, because callers treat damaged and missing data alike: the answer is
/// left out.

namespace csink::symbolizer {

/// A view of bytes. Does not own them: the Buffer, section or file that holds the bytes must
/// outlive the view.
using Bytes = std::span<const std::uint8_t>;

/// The part [offset, offset + size) of `bytes`, cut to what is there; empty if `offset` is outside.
/// `offset` and `size` may be any numbers, their sum is not formed: a damaged offset near 2^64 must
/// not wrap around. Callers that need all `size` bytes compare the size of the result.
inline Bytes Part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  const std::uint64_t rest = bytes.size() - offset;
  return bytes.subspan(static_cast<std::size_t>(offset),
                       static_cast<std::size_t>(size < rest ? size : rest));
}

/// Longest name or path that is read from a file, in bytes: 16 KiB. Without a limit, a damaged file
/// could make one name as long as the file. Names beyond the limit are treated as missing. Also the
/// limit for paths and names that are put together from parts.
inline constexpr std::size_t kMaxTextBytes = 16 << 10;

/// The text at `offset` up to its NUL, without the NUL. Empty if `offset` is outside or no NUL
/// follows within kMaxTextBytes. Points into `bytes`. For strings in string tables (.strtab,
/// .debug_str); ByteReader::Text reads strings that stand between other fields.
inline std::string_view TextAt(Bytes bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto* start = reinterpret_cast<const char*>(bytes.data()) + offset;
  const std::size_t rest = bytes.size() - static_cast<std::size_t>(offset);
  const void* end = std::memchr(start, 0, rest < kMaxTextBytes ? rest : kMaxTextBytes);
  if (end == nullptr) return {};
  return {start, static_cast<std::size_t>(static_cast<const char*>(end) - start)};
}

/// Memory for file contents. The memory is not zeroed, because every byte is overwritten by a read.
/// A std::vector would write every byte twice.
/// Owns:    its bytes. Movable, not copyable; a Buffer that was moved from is empty.
/// Threads: const functions from any thread.
class Buffer {
 public:
  Buffer() = default;
  /// Allocates `size` bytes. Empty if memory is short (no exception); check `size()`: the size of
  /// an allocation often comes from a field of an untrusted file.
  explicit Buffer(std::size_t size) : data_(new (std::nothrow) std::uint8_t[size]) {
    if (data_) size_ = size;
  }
  /// The bytes keep their address, so that views of them stay valid.
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// The first byte; null if the buffer is empty by default construction or by lack of memory.
  std::uint8_t* data() { return data_.get(); }
  /// Bytes in use: the allocated size, or less after Shrink.
  std::size_t size() const { return size_; }
  /// A view of the bytes in use. Valid until the buffer is destroyed or assigned to.
  Bytes bytes() const { return {data_.get(), size_}; }
  /// Drops the bytes from `size` on. Never grows, never reallocates: the memory behind stays
  /// allocated, and views of the bytes in front stay valid.
  void Shrink(std::size_t size) {
    if (size < size_) size_ = size;
  }

 private:
  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t size_ = 0;
};

/// Reads little-endian fields from front to back. After a read past the end the reader stays in the
/// failed state: it stands at the end and every value is 0. So loops over `AtEnd()` stop, and
/// callers check `ok()` once, after the last read. A value that is used as an index or size before
/// that check must be harmless when it is 0.
///
/// Does not own the bytes; views that it returns point into them. A copy of a reader reads on from
/// the same position, independently.
/// Threads: one for each reader.
class ByteReader {
 public:
  /// Starts at the front of `bytes`, in the good state; no bytes are valid, too.
  explicit ByteReader(Bytes bytes)
      : start_(bytes.data()), next_(start_), end_(start_ + bytes.size()) {}

  /// False after the first read past the end, number without an end, or call of Fail. Never becomes
  /// true again.
  bool ok() const { return ok_; }
  /// Whether no byte is left, because all were read or because a read failed.
  bool AtEnd() const { return next_ == end_; }
  /// Bytes from the start of the data to the reader's position.
  std::size_t offset() const { return static_cast<std::size_t>(next_ - start_); }
  /// Bytes from the reader's position to the end.
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

  /// A field of the size of T, or a record of fields (Elf64_Shdr, ...). T is an integer or a
  /// structure without pointers; a value-initialised T if fewer bytes are left.
  template <class T>
  T Fixed() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left() < sizeof(T)) {
      Fail();
      return T{};
    }
    T value;
    std::memcpy(&value, next_, sizeof(T));
    next_ += sizeof(T);
    return value;
  }
  /// Unsigned fields of 1, 2, 4 and 8 bytes; 0 if fewer bytes are left.
  std::uint8_t U8() { return Fixed<std::uint8_t>(); }
  std::uint16_t U16() { return Fixed<std::uint16_t>(); }
  std::uint32_t U32() { return Fixed<std::uint32_t>(); }
  std::uint64_t U64() { return Fixed<std::uint64_t>(); }
  /// An unsigned field of 1, 2, 4 or 8 bytes, for sizes that the file tells (address_size, the
  /// offset size of 32-bit and 64-bit DWARF). Any other size puts the reader into the failed state.
  std::uint64_t Unsigned(std::size_t size) {
    switch (size) {
      case 1:
        return U8();
      case 2:
        return U16();
      case 4:
        return U32();
      case 8:
        return U64();
      default:
        Fail();
        return 0;
    }
  }
  /// Unsigned and signed LEB128 (DWARF 5, 7.6). Bits beyond 64 are dropped, so bytes that only pad
  /// a number are accepted. A number without an end fails.
  std::uint64_t Uleb() {
    if (next_ != end_ && *next_ < 0x80) return *next_++;
    std::uint64_t value = 0;
    unsigned shift = 0;
    while (next_ != end_) {
      const std::uint8_t byte = *next_++;
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  std::int64_t Sleb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    while (next_ != end_) {
      const std::uint8_t byte = *next_++;
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) {
        if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
      }
    }
    Fail();
    return 0;
  }
  /// The text up to its NUL. The reader then stands behind the NUL. Empty and failed if there is no
  /// NUL; an empty text does not fail. The length has no limit but the end of the data.
  std::string_view Text() {
    const void* nul = left() == 0 ? nullptr : std::memchr(next_, 0, left());
    if (nul == nullptr) {
      Fail();
      return {};
    }
    const auto* start = reinterpret_cast<const char*>(next_);
    next_ = static_cast<const std::uint8_t*>(nul) + 1;
    return {start, static_cast<std::size_t>(reinterpret_cast<const char*>(next_) - start - 1)};
  }
  /// The next `size` bytes, not copied. Empty and failed if fewer are left: a part is not returned,
  /// because a record that is cut off must not be taken for a whole one.
  Bytes Take(std::uint64_t size) {
    if (size > left()) {
      Fail();
      return {};
    }
    const Bytes taken(next_, static_cast<std::size_t>(size));
    next_ += size;
    return taken;
  }
  /// Steps over `size` bytes; fails like Take.
  void Skip(std::uint64_t size) { Take(size); }
  /// Puts the reader into the failed state; for callers that find a value which makes all following
  /// bytes meaningless (an unknown form, for example).
  void Fail() {
    ok_ = false;
    next_ = end_;
  }

 private:
  const std::uint8_t* start_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

}  // namespace csink::symbolizer

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
/// against the end of the data, and fields are copied out (no unaligned access). All integers are
/// little-endian.

namespace csink::symbolizer {

using Bytes = std::span<const std::uint8_t>;

/// The part [offset, offset + size) of `bytes`, cut to what is there.
inline Bytes Part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  const std::uint64_t rest = bytes.size() - offset;
  return bytes.subspan(static_cast<std::size_t>(offset),
                       static_cast<std::size_t>(size < rest ? size : rest));
}

/// Longest name or path that is read from a file, in bytes. Without a limit, a damaged file could
/// make one name as long as the file.
inline constexpr std::size_t kMaxTextBytes = 16 << 10;

/// The text at `offset` up to its NUL, without the NUL. Empty if `offset` is outside or no NUL
/// follows within kMaxTextBytes. Points into `bytes`.
inline std::string_view TextAt(Bytes bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto* start = reinterpret_cast<const char*>(bytes.data()) + offset;
  const std::size_t rest = bytes.size() - static_cast<std::size_t>(offset);
  const void* end = std::memchr(start, 0, rest < kMaxTextBytes ? rest : kMaxTextBytes);
  if (end == nullptr) return {};
  return {start, static_cast<std::size_t>(static_cast<const char*>(end) - start)};
}

/// Memory for file contents. The memory is not zeroed, because every byte is overwritten by a read.
/// Owns: its bytes. Movable, not copyable.
class Buffer {
 public:
  Buffer() = default;
  /// Empty if memory is short (no exception); check `size()`.
  explicit Buffer(std::size_t size) : data_(new (std::nothrow) std::uint8_t[size]) {
    if (data_) size_ = size;
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::uint8_t* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  Bytes bytes() const { return {data_.get(), size_}; }
  /// Drops the bytes from `size` on. Never grows, never reallocates.
  void Shrink(std::size_t size) {
    if (size < size_) size_ = size;
  }

 private:
  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t size_ = 0;
};

/// Reads little-endian fields from front to back. After a read past the end the reader stays in the
/// failed state: it stands at the end and every value is 0. So loops over `AtEnd()` stop, and
/// callers check `ok()` once, after the last read. Does not own the bytes; views that it returns
/// point into them.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes)
      : start_(bytes.data()), next_(start_), end_(start_ + bytes.size()) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return next_ == end_; }
  std::size_t offset() const { return static_cast<std::size_t>(next_ - start_); }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

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
  std::uint8_t U8() { return Fixed<std::uint8_t>(); }
  std::uint16_t U16() { return Fixed<std::uint16_t>(); }
  std::uint32_t U32() { return Fixed<std::uint32_t>(); }
  std::uint64_t U64() { return Fixed<std::uint64_t>(); }
  /// An unsigned field of 1, 2, 4 or 8 bytes. Any other size puts the reader into the failed state.
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
  /// Unsigned and signed LEB128 (DWARF 5, 7.6). Bits beyond 64 are dropped. A number without an end
  /// fails.
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
  /// The text up to its NUL. The reader then stands behind the NUL.
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
  /// The next `size` bytes, not copied. Empty and failed if fewer are left.
  Bytes Take(std::uint64_t size) {
    if (size > left()) {
      Fail();
      return {};
    }
    const Bytes taken(next_, static_cast<std::size_t>(size));
    next_ += size;
    return taken;
  }
  void Skip(std::uint64_t size) { Take(size); }
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

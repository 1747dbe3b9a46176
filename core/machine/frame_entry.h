#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// File: the bytes of the entries of .eh_frame: frame descriptions (FDEs), and the parts that
/// several of them have in common (CIEs). They belong to the profiled program and may be damaged.
/// Format: LSB 5.0 core, chapter 10; DWARF 5, section 6.4.

namespace csink {

/// A reader over the bytes of one description. A read past the end returns 0 and marks the reader
/// as broken. `address` is where the bytes lie in memory, for relative pointers.
class FrameBytes {
 public:
  FrameBytes() noexcept = default;
  FrameBytes(const unsigned char* at, const unsigned char* end, std::uint64_t address) noexcept
      : at_(at), end_(end), address_(address) {}
  bool more() const noexcept { return at_ < end_ && !broken_; }
  bool broken() const noexcept { return broken_; }
  void Skip(std::uint64_t n) noexcept {
    if (n > static_cast<std::uint64_t>(end_ - at_)) {
      broken_ = true;
      n = static_cast<std::uint64_t>(end_ - at_);
    }
    at_ += n;
    address_ += n;
  }
  template <class T>
  T Take() noexcept {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof value) {
      broken_ = true;
    } else {
      std::memcpy(&value, at_, sizeof value);
    }
    Skip(sizeof value);
    return value;
  }
  std::uint64_t Unsigned() noexcept { return Leb(false); }
  std::int64_t Signed() noexcept { return static_cast<std::int64_t>(Leb(true)); }
  /// Reads a pointer in one of the encodings DW_EH_PE_* with fixed width, absolute or relative to
  /// its own address (LSB 5.0 core, 10.5.1).
  std::uint64_t Pointer(unsigned char encoding) noexcept {
    const std::uint64_t here = address_;
    std::uint64_t value = 0;
    switch (encoding & 0x0f) {
      // DW_EH_PE_absptr, udata8 and sdata8; then udata4; then sdata4.
      case 0x00:
      case 0x04:
      case 0x0c:
        value = Take<std::uint64_t>();
        break;
      case 0x03:
        value = Take<std::uint32_t>();
        break;
      case 0x0b:
        value = static_cast<std::uint64_t>(std::int64_t{Take<std::int32_t>()});
        break;
      default:
        broken_ = true;
    }
    // DW_EH_PE_pcrel; then only "absolute" is left. DW_EH_PE_indirect (0x80) and the other bases
    // break the reader.
    if ((encoding & 0xf0) == 0x10) return value + here;
    if ((encoding & 0xf0) != 0) broken_ = true;
    return value;
  }
  const unsigned char* at() const noexcept { return at_; }
  std::uint64_t address() const noexcept { return address_; }
  /// A reader over the next `n` bytes, which are skipped here.
  FrameBytes Part(std::uint64_t n) noexcept {
    const unsigned char* from = at_;
    const std::uint64_t address = address_;
    Skip(n);
    return FrameBytes(from, at_, address);
  }

 private:
  // LEB128 (DWARF 5, section 7.6). Bits beyond 64 are dropped.
  std::uint64_t Leb(bool is_signed) noexcept {
    std::uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0;
    do {
      byte = Take<unsigned char>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while ((byte & 0x80) && more());
    if (is_signed && shift < 64 && (byte & 0x40)) value |= ~std::uint64_t{0} << shift;
    return value;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  std::uint64_t address_ = 0;
  bool broken_ = false;
};

/// The parts of a CIE that its FDEs use.
struct CommonEntry {
  std::uint64_t code_align = 1;
  std::int64_t data_align = 1;
  unsigned char encoding = 0;       ///< Of the code pointers of its FDEs: DW_EH_PE_*
  std::uint64_t return_column = 0;  ///< Register that has the return address
  bool augmented = false;
  bool signal_frame = false;
  FrameBytes code;  ///< Its instructions
};

/// Parses a CIE, whose bytes behind its length and id these are. Returns false for a form that is
/// not supported. Threads: any. Signals: safe (frame_entry_signal.cpp).
bool ReadCommonEntry(FrameBytes bytes, CommonEntry& common) noexcept;

}  // namespace csink

#pragma once

#include <array>
#include <cstdint>

#include "symbolizer/names/lines/header.h"

namespace csink::symbolizer {

/// A sequence of a line program (6.2.2: the rows up to DW_LNE_end_sequence), and bounds for the
/// addresses of its rows.
struct LineSequence {
  Bytes program;           ///< From the end of the sequence before
  std::uint64_t low = 0;   ///< No row begins below
  std::uint64_t high = 0;  ///< No row ends above; low == high: the sequence has no rows
  bool is_open = false;    ///< The bounds are unknown: the sequence must be run
};

/// Scans a line program, computing addresses only, to find the few sequences that must be run; this
/// is four times as fast as running them. A sequence is open if it is not simple: addresses that
/// decrease, files that the program defines, damage, VLIW. An open sequence must be run, so that a
/// scan never loses a row.
/// Threads: one. The header, and the program that it points to, must outlive the scan.
class LineScan {
 public:
  /// Begins at the front of the header's program.
  explicit LineScan(const LineHeader& header);

  /// The next sequence; returns false if there are no more.
  bool Next(LineSequence& sequence);

 private:
  /// What is known about the current sequence so far.
  struct Span {
    /// Bounds of the stretches of addresses so far. A stretch begins with DW_LNE_set_address at
    /// `start`; `advance` is the sum of its advances.
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    std::uint64_t start = 0;
    std::uint64_t advance = 0;
    /// An address that is no tombstone was set.
    bool is_live = false;
    bool is_open = false;

    /// Ends the stretch and adds it to the bounds.
    void Close();
    void Set(std::uint64_t vaddr);
  };
  /// See scan.cpp.
  const std::uint8_t* Plain(const std::uint8_t* next, std::uint64_t& advance) const;
  /// One opcode that Plain does not know. False: see scan.cpp.
  bool Standard(std::uint8_t opcode, ByteReader& reader, Span& span) const;
  bool Extended(ByteReader& reader, Span& span) const;

  const LineHeader& header_;
  /// The part of the program behind the last sequence.
  Bytes left_;
  std::array<std::uint32_t, 256> effects_{};  ///< Address advance of each opcode
};

/// Whether the linker discarded the code of a sequence or DIE: GNU ld then writes address 0, lld
/// writes -1 or -2. A sequence without relocations (an unlinked object file) begins at 0, too, and
/// is not used; LinkObject gives code other addresses.
inline bool IsTombstone(std::uint64_t vaddr) { return vaddr == 0 || vaddr >= ~std::uint64_t{1}; }
/// An address from DW_LNE_set_address, with an operand of `bytes` bytes. An operand of 4 bytes has
/// its tombstones at the end of 32 bits; they are mapped to the 64-bit one.
inline std::uint64_t WidenedTombstone(std::uint64_t vaddr, std::size_t bytes) {
  return bytes == 4 && vaddr >= 0xfffffffe ? ~std::uint64_t{0} : vaddr;
}

}  // namespace csink::symbolizer

#pragma once

#include <array>
#include <cstdint>

#include "symbolizer/lines/header.h"

namespace csink::symbolizer {

/// A sequence of a line program and where its rows may lie.
struct LineSequence {
  Bytes program;           ///< From behind the last one's end
  std::uint64_t low = 0;   ///< No row lies below,
  std::uint64_t high = 0;  ///< or ends above; low == high: no row lies anywhere
  bool is_open = false;    ///< Both are not known: it has to be run
};

/// Goes through a line program and adds up addresses alone, to find the few sequences that are
/// worth to be run: four times as fast as running them. What is not plain (addresses that go
/// backwards, files that the program defines, damage, VLIW) is open.
class LineScan {
 public:
  explicit LineScan(const LineHeader& header);

  /// False: there are no more.
  bool Next(LineSequence& sequence);

 private:
  /// What is known of a sequence so far.
  struct Span {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    std::uint64_t start = 0;
    std::uint64_t advance = 0;
    bool is_live = false;
    bool is_open = false;

    void Close();
    void Set(std::uint64_t vaddr);
  };
  const std::uint8_t* Plain(const std::uint8_t* next, std::uint64_t& advance) const;
  bool Standard(std::uint8_t opcode, ByteReader& reader, Span& span) const;
  bool Extended(ByteReader& reader, Span& span) const;

  const LineHeader& header_;
  Bytes left_;
  std::array<std::uint32_t, 256> effects_{};  ///< Of opcodes on addresses
};

/// What the linker threw away starts at 0 (GNU ld), -1 or -2 (lld).
inline bool IsTombstone(std::uint64_t vaddr) { return vaddr == 0 || vaddr >= ~std::uint64_t{1}; }
/// DW_LNE_set_address: an address of 4 bytes has its tombstones there.
inline std::uint64_t WidenedTombstone(std::uint64_t vaddr, std::size_t bytes) {
  return bytes == 4 && vaddr >= 0xfffffffe ? ~std::uint64_t{0} : vaddr;
}

}  // namespace csink::symbolizer

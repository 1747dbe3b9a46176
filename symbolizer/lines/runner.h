#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "symbolizer/lines/header.h"
#include "symbolizer/lines/scan.h"

namespace csink::symbolizer {

/// A file of a unit as rows name it: names are read after the program has run.
struct LineFound {
  std::uint64_t row_vaddr = 0;
  std::uint64_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t unit = 0;  ///< 1 + index of the unit; 0: nothing found yet
  bool is_borrowed = false;
};

/// Runs the line programs and keeps the rows that cover one of the addresses.
class LineRunner {
 public:
  explicit LineRunner(std::span<const std::uint64_t> vaddrs)
      : vaddrs_(vaddrs), found_(vaddrs.size()), skip_(vaddrs.size() + 1) {
    std::iota(skip_.begin(), skip_.end(), std::size_t{0});
  }

  /// Runs a program, or some sequences of one. True when a row of the unit was kept. Names that
  /// the program defines itself are appended to `defined`.
  bool Run(const LineHeader& header, Bytes program, std::uint32_t unit,
           std::vector<LineFileEntry>& defined);

  /// Whether an address in [low, high) has no row yet.
  bool Wants(std::uint64_t low, std::uint64_t high) {
    const std::size_t i = FirstUnfound(low);
    return i < vaddrs_.size() && vaddrs_[i] < high;
  }
  bool WantsAny() { return Unfound(0) < vaddrs_.size(); }

  std::vector<LineFound> TakeFound() { return std::move(found_); }

 private:
  struct Row {
    std::uint64_t vaddr = 0;
    std::uint64_t file = 1;
    std::uint32_t line = 1;
  };

  /// What a special opcode does.
  struct alignas(8) Special {
    std::uint16_t bytes = 0;  ///< Of addresses, where an instruction is one operation
    std::uint8_t operations = 0;
    std::int16_t lines = 0;
  };
  struct SpecialKey {
    std::uint8_t opcode_base = 0;
    std::uint8_t line_range = 0;
    std::int8_t line_base = 0;
    std::uint8_t min_instruction_bytes = 0;
    bool operator==(const SpecialKey&) const = default;
  };
  void PrepareSpecial(const LineHeader& header);

  void StartSequence() {
    row_ = Row{};
    operation_ = 0;
    has_row_ = false;
    is_dead_ = true;  // Until an address is set
    named_ = Row{.vaddr = 0, .file = 0, .line = 0};
  }
  void SetAddress(std::uint64_t vaddr) {
    if (!has_row_) is_dead_ = IsTombstone(vaddr);
    row_.vaddr = vaddr;
    operation_ = 0;
  }
  void Advance(const LineHeader& header, std::uint64_t operations) {
    if (header.max_operations <= 1) {
      row_.vaddr += operations * header.min_instruction_bytes;
      return;
    }
    // VLIW: an address holds several operations.
    const std::uint64_t all = operation_ + operations;
    row_.vaddr += all / header.max_operations * header.min_instruction_bytes;
    operation_ = all % header.max_operations;
  }
  /// The row before this one ends here: it takes the addresses in between.
  void EmitRow() {
    if (is_dead_) return;
    if (has_row_ && row_.vaddr != before_.vaddr) Take();
    if (!has_row_ || row_.vaddr < before_.vaddr) Seek(row_.vaddr);
    if (row_.line == 0 && has_row_ && before_.line != 0) Lend(before_, row_.vaddr);
    before_ = row_;
    has_row_ = true;
  }
  /// The first row of line 0 begins at `vaddr`: it and those behind it take the line of `row`. A
  /// row without bytes lends nothing, because nobody can tell which function its line is of.
  void Lend(const Row& row, std::uint64_t vaddr) {
    named_ = row.vaddr != vaddr ? row : Row{.vaddr = 0, .file = 0, .line = 0};
  }
  void Seek(std::uint64_t vaddr) { next_ = FirstUnfound(vaddr); }
  std::size_t FirstUnfound(std::uint64_t vaddr) {
    return Unfound(static_cast<std::size_t>(
        std::lower_bound(vaddrs_.begin(), vaddrs_.end(), vaddr) - vaddrs_.begin()));
  }
  /// The first address from `i` on that has no row yet. Found ones are stepped over
  /// (and the steps shortened), so that a table that covers the same addresses again
  /// and again costs no more than its bytes.
  std::size_t Unfound(std::size_t i) {
    while (skip_[i] != i) i = skip_[i] = skip_[skip_[i]];
    return i;
  }
  void Take() {
    if (next_ >= vaddrs_.size() || vaddrs_[next_] >= row_.vaddr) return;
    const Row& row = before_.line != 0 ? before_ : named_;
    if (row.line == 0) return Seek(row_.vaddr);
    while (next_ < vaddrs_.size() && vaddrs_[next_] < row_.vaddr) {
      found_[next_] = LineFound{.row_vaddr = row.vaddr,
                                .file = row.file,
                                .line = row.line,
                                .unit = unit_,
                                .is_borrowed = before_.line == 0};
      kept_ = true;
      skip_[next_] = next_ + 1;
      next_ = Unfound(next_ + 1);
    }
  }
  std::size_t Plain(const LineHeader& header, Bytes program);
  void Extended(ByteReader& reader, std::vector<LineFileEntry>& defined);
  void Standard(const LineHeader& header, std::uint8_t opcode, ByteReader& reader);

  std::span<const std::uint64_t> vaddrs_;
  std::vector<LineFound> found_;
  std::vector<std::size_t> skip_;  ///< See Unfound
  std::uint32_t unit_ = 0;
  bool kept_ = false;
  SpecialKey special_key_;
  std::array<Special, 256> special_{};  ///< Of headers with that key
  // The state machine of one sequence.
  Row row_;
  Row before_;  ///< The row that has begun and not ended
  Row named_;   ///< Lends its line to rows of line 0 behind it; line 0: there is none
  std::uint64_t operation_ = 0;
  std::size_t next_ = 0;  ///< First address not below `before_`
  bool has_row_ = false;
  bool is_dead_ = true;
};

}  // namespace csink::symbolizer

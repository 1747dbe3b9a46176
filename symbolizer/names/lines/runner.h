#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "symbolizer/names/lines/header.h"
#include "symbolizer/names/lines/scan.h"

namespace csink::symbolizer {

/// The row found for one address. The file is kept as an index: names are read after all programs
/// ran, only for the rows that were found.
struct LineFound {
  /// Address and file of the row that gave the line.
  std::uint64_t row_vaddr = 0;
  std::uint64_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t unit = 0;  ///< 1 + index of the unit; 0: no row found yet
  /// The address's own row has line 0; `row_vaddr`, `file` and `line` are those of a row before it
  bool is_borrowed = false;
};

/// Runs line programs (the state machine of DWARF 5, 6.2) and keeps the rows that cover one of the
/// addresses. A row applies from its address to the next row of its sequence. The first row found
/// for an address stays: the order in which the programs run decides between sequences that
/// overlap. `vaddrs` is sorted and must outlive the runner.
/// Owns:    the rows that were found. Memory: 40 bytes for each address.
/// Threads: one.
class LineRunner {
 public:
  /// No address has a row yet.
  explicit LineRunner(std::span<const std::uint64_t> vaddrs)
      : vaddrs_(vaddrs), found_(vaddrs.size()), skip_(vaddrs.size() + 1) {
    std::iota(skip_.begin(), skip_.end(), std::size_t{0});
  }

  /// Runs a program, or some sequences of it (LineScan). `unit` is the number under which rows are
  /// kept, not 0. Returns true if a row of the unit was kept. Files that the program defines are
  /// appended to `defined`. A damaged program ends at the damage.
  bool Run(const LineHeader& header, Bytes program, std::uint32_t unit,
           std::vector<LineFileEntry>& defined);

  /// Whether an address in [low, high) has no row yet. Not const: it shortens the links of `skip_`.
  bool Wants(std::uint64_t low, std::uint64_t high) {
    const std::size_t i = FirstUnfound(low);
    return i < vaddrs_.size() && vaddrs_[i] < high;
  }
  /// Whether any address has no row yet: if not, no more programs need to run.
  bool WantsAny() { return Unfound(0) < vaddrs_.size(); }

  /// One for each address. Call it once, at the end.
  std::vector<LineFound> TakeFound() { return std::move(found_); }

 private:
  /// The registers of the state machine that matter: address, file, line (6.2.2). Column, is_stmt
  /// and the others are not kept.
  struct Row {
    std::uint64_t vaddr = 0;
    /// Index into the file table of the unit; the initial value of the standard.
    std::uint64_t file = 1;
    std::uint32_t line = 1;
  };

  /// The effect of a special opcode (DWARF 5, 6.2.5.1). Eight bytes, so that the inner loop copies
  /// an entry as one word.
  struct alignas(8) Special {
    /// Address advance for headers where an instruction has one operation
    std::uint16_t bytes = 0;
    std::uint8_t operations = 0;
    std::int16_t lines = 0;
  };
  /// What the effects of special opcodes depend on. If the next unit has the same values, the table
  /// is used again.
  struct SpecialKey {
    std::uint8_t opcode_base = 0;
    std::uint8_t line_range = 0;
    std::int8_t line_base = 0;
    std::uint8_t min_instruction_bytes = 0;
    bool operator==(const SpecialKey&) const = default;
  };
  /// Fills `special_` for the header.
  void PrepareSpecial(const LineHeader& header);

  /// The initial state (6.2.2).
  void StartSequence() {
    row_ = Row{};
    operation_ = 0;
    has_row_ = false;
    is_dead_ = true;  // Until an address is set
    named_ = Row{.vaddr = 0, .file = 0, .line = 0};
  }
  /// DW_LNE_set_address.
  void SetAddress(std::uint64_t vaddr) {
    // Only the first address of a sequence tells whether the linker discarded the code.
    if (!has_row_) is_dead_ = IsTombstone(vaddr);
    row_.vaddr = vaddr;
    operation_ = 0;
  }
  /// Advances the address by a number of operations (6.2.5.1).
  void Advance(const LineHeader& header, std::uint64_t operations) {
    // The usual machine: one operation an instruction.
    if (header.max_operations <= 1) {
      row_.vaddr += operations * header.min_instruction_bytes;
      return;
    }
    // VLIW: an address holds several operations.
    const std::uint64_t all = operation_ + operations;
    row_.vaddr += all / header.max_operations * header.min_instruction_bytes;
    operation_ = all % header.max_operations;
  }
  /// Appends the current row. The previous row ends here, and is matched with the addresses that it
  /// covers.
  void EmitRow() {
    if (is_dead_) return;
    // Of several rows with one address the last one counts: the others have no bytes.
    if (has_row_ && row_.vaddr != before_.vaddr) Take();
    // Addresses may decrease, against the standard (6.2.5): then the search begins anew.
    if (!has_row_ || row_.vaddr < before_.vaddr) Seek(row_.vaddr);
    if (row_.line == 0 && has_row_ && before_.line != 0) Lend(before_, row_.vaddr);
    before_ = row_;
    has_row_ = true;
  }
  /// The first row of line 0 begins at `vaddr`: this row and the following rows of line 0 take the
  /// line of `row`. A `row` without bytes gives no line, because it may belong to another function.
  void Lend(const Row& row, std::uint64_t vaddr) {
    named_ = row.vaddr != vaddr ? row : Row{.vaddr = 0, .file = 0, .line = 0};
  }
  /// Sets `next_` to the first address at or behind `vaddr` that has no row.
  void Seek(std::uint64_t vaddr) { next_ = FirstUnfound(vaddr); }
  /// The index of the first address at or behind `vaddr` without a row.
  std::size_t FirstUnfound(std::uint64_t vaddr) {
    return Unfound(static_cast<std::size_t>(
        std::lower_bound(vaddrs_.begin(), vaddrs_.end(), vaddr) - vaddrs_.begin()));
  }
  /// The first address from index `i` on that has no row yet. Found addresses are skipped
  /// (union-find with path halving), so that a table that covers the same addresses repeatedly
  /// costs no more than its size.
  std::size_t Unfound(std::size_t i) {
    while (skip_[i] != i) i = skip_[i] = skip_[skip_[i]];
    return i;
  }
  /// Gives the row before (`before_`, up to row_.vaddr) to the addresses that it covers.
  void Take() {
    if (next_ >= vaddrs_.size() || vaddrs_[next_] >= row_.vaddr) return;
    const Row& row = before_.line != 0 ? before_ : named_;
    // No line at all: the addresses stay open for a row of another program.
    if (row.line == 0) return Seek(row_.vaddr);
    // An address that has a row is taken out of the search, so that later programs skip it.
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
  /// The fast part of Run; see runner.cpp.
  std::size_t Plain(const LineHeader& header, Bytes program);
  /// One extended opcode; one standard opcode.
  void Extended(ByteReader& reader, std::vector<LineFileEntry>& defined);
  void Standard(const LineHeader& header, std::uint8_t opcode, ByteReader& reader);

  /// What is wanted, and what was found: one entry for each address.
  std::span<const std::uint64_t> vaddrs_;
  std::vector<LineFound> found_;
  std::vector<std::size_t> skip_;  ///< See Unfound
  /// Of the program that runs: its number, and whether one of its rows was kept.
  std::uint32_t unit_ = 0;
  bool kept_ = false;
  SpecialKey special_key_;
  std::array<Special, 256> special_{};  ///< For headers with `special_key_`
  // The state machine of one sequence.
  Row row_;
  Row before_;  ///< The last row; its end is not known yet
  Row named_;   ///< The row whose line the following rows of line 0 take; line 0: none
  /// The VLIW register op_index (6.2.2); 0 on other machines.
  std::uint64_t operation_ = 0;
  std::size_t next_ = 0;  ///< Index of the first address not below `before_`
  /// Whether the sequence has a row. Before its first row, SetAddress decides whether the sequence
  /// is dead.
  bool has_row_ = false;
  /// Whether the linker discarded the code of the sequence, or no address was set yet. Rows are
  /// dropped then.
  bool is_dead_ = true;
};

}  // namespace csink::symbolizer

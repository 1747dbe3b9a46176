#include "symbolizer/names/lines/runner.h"

#include <dwarf.h>

/// File: the state machine of line programs, run while the addresses are known: no table of rows is
/// built. `next_` is the first wanted address that is not below the last row. As long as rows end
/// at or before that address, nothing has to be kept, and Plain runs the frequent opcodes without
/// calling anything. The other opcodes, the rows around a wanted address, and VLIW programs go
/// through Standard and Extended.

namespace csink::symbolizer {
namespace {

/// Bytes of the longest instruction that Plain handles.
constexpr std::size_t kLongestPlain = 4;
/// Above this address an advance could overflow 64 bits; Plain stops there.
constexpr std::uint64_t kHighAddress = std::uint64_t{1} << 63;

}  // namespace

void LineRunner::PrepareSpecial(const LineHeader& header) {
  const SpecialKey key{header.opcode_base, header.line_range, header.line_base,
                       header.min_instruction_bytes};
  // Nearly all units of a file have the same numbers, so the table is made once.
  if (key == special_key_) return;
  special_key_ = key;
  special_[DW_LNS_copy] = {};  // A row and no advance
  for (unsigned opcode = header.opcode_base; opcode < special_.size(); ++opcode) {
    const unsigned adjusted = opcode - header.opcode_base;
    special_[opcode].operations = static_cast<std::uint8_t>(adjusted / header.line_range);
    special_[opcode].bytes = static_cast<std::uint16_t>(special_[opcode].operations *
                                                        unsigned{header.min_instruction_bytes});
    special_[opcode].lines = static_cast<std::int16_t>(
        header.line_base + static_cast<int>(adjusted % header.line_range));
  }
}

inline void LineRunner::Standard(const LineHeader& header, std::uint8_t opcode,
                                 ByteReader& reader) {
  switch (opcode) {
    case DW_LNS_copy:
      EmitRow();
      break;
    case DW_LNS_advance_pc:
      Advance(header, reader.Uleb());
      break;
    case DW_LNS_advance_line:
      row_.line += static_cast<std::uint32_t>(reader.Sleb());
      break;
    case DW_LNS_set_file:
      row_.file = reader.Uleb();
      break;
    case DW_LNS_const_add_pc:
      Advance(header, (255u - header.opcode_base) / header.line_range);
      break;
    case DW_LNS_fixed_advance_pc:
      row_.vaddr += reader.U16();
      operation_ = 0;
      break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
      break;
    case DW_LNS_set_column:
    case DW_LNS_set_isa:
      reader.Uleb();
      break;
    default:
      // An opcode of a later standard: the header says how many operands follow.
      for (unsigned i = 0; i < header.operand_count[opcode]; ++i) reader.Uleb();
  }
}

/// Runs the most frequent opcodes in a tight loop, until a row ends behind the next wanted address:
/// the rows before it match nothing. Returns the number of bytes that were run. The last few bytes
/// are left to Run, so that no read needs a check for the end. Registers of the state machine are
/// kept in local variables, and addresses as distances to `end`, so that one comparison finds both
/// the end of the stretch and an overflow.
std::size_t LineRunner::Plain(const LineHeader& header, Bytes program) {
  if (!has_row_ || is_dead_ || header.max_operations > 1) return 0;
  if (row_.vaddr < before_.vaddr || program.size() < kLongestPlain) return 0;
  const std::uint64_t end =
      next_ < vaddrs_.size() ? std::min(vaddrs_[next_], kHighAddress) : kHighAddress;
  if (row_.vaddr > end) return 0;
  const std::uint8_t* next = program.data();
  const std::uint8_t* const last = next + (program.size() - kLongestPlain);
  // State of the current and the previous row, in local variables: bytes left to `end`, file and
  // line.
  std::uint64_t left = end - row_.vaddr;
  std::uint64_t file = row_.file;
  std::uint32_t line = row_.line;
  Row before = before_;
  std::uint64_t left_before = end - before.vaddr;
  while (next < last) {
    const std::uint8_t opcode = next[0];
    if (opcode >= header.opcode_base || opcode == DW_LNS_copy) {
      const Special special = special_[opcode];
      if (left < special.bytes) break;
      left -= special.bytes;
      line += static_cast<std::uint32_t>(special.lines);
      if (line == 0 && before.line != 0) {
        before.vaddr = end - left_before;
        Lend(before, end - left);
      }
      left_before = left;
      before.file = file;
      before.line = line;
      next += 1;
    } else if (opcode == DW_LNS_set_column && next[1] < 0x80) {
      next += 2;
    } else if (opcode == DW_LNS_set_column && next[2] < 0x80) {
      next += 3;
    } else if (opcode == DW_LNS_advance_line && next[1] < 0x80) {
      line += next[1] - ((next[1] & 0x40u) << 1);
      next += 2;
    } else if (opcode == DW_LNS_advance_line && next[2] < 0x80) {
      const std::uint32_t low = next[1] & 0x7fu;
      line += (low | std::uint32_t{next[2]} << 7) - ((next[2] & 0x40u) << 8);
      next += 3;
    } else if (opcode == DW_LNS_negate_stmt) {
      next += 1;
    } else if (opcode == DW_LNS_set_file && next[1] < 0x80) {
      file = next[1];
      next += 2;
    } else if (opcode == DW_LNS_advance_pc && next[1] < 0x80) {
      const std::uint64_t bytes = std::uint64_t{next[1]} * header.min_instruction_bytes;
      if (left < bytes) break;
      left -= bytes;
      next += 2;
    } else if (opcode == kExtendedOpcode && next[1] == 2 && next[2] == DW_LNE_set_discriminator) {
      next += 4;  // Its operand is one byte
    } else {
      break;
    }
  }
  before.vaddr = end - left_before;
  before_ = before;
  row_ = Row{.vaddr = end - left, .file = file, .line = line};
  return static_cast<std::size_t>(next - program.data());
}

bool LineRunner::Run(const LineHeader& header, Bytes program, std::uint32_t unit,
                     std::vector<LineFileEntry>& defined) {
  unit_ = unit;
  kept_ = false;
  PrepareSpecial(header);
  StartSequence();
  ByteReader reader(program);
  while (!reader.AtEnd()) {
    // What Plain does not know is run step by step; then Plain goes on.
    reader.Skip(Plain(header, program.subspan(reader.offset())));
    const std::uint8_t opcode = reader.U8();
    if (opcode >= header.opcode_base) {
      const Special& special = special_[opcode];
      Advance(header, special.operations);
      row_.line += static_cast<std::uint32_t>(special.lines);
      EmitRow();
    } else if (opcode == kExtendedOpcode) {
      Extended(reader, defined);
    } else {
      Standard(header, opcode, reader);
    }
  }
  return kept_;
}

void LineRunner::Extended(ByteReader& reader, std::vector<LineFileEntry>& defined) {
  ByteReader body(reader.Take(reader.Uleb()));
  switch (body.U8()) {
    // The end of a sequence is a row, too: the row before covers the addresses up to it.
    case DW_LNE_end_sequence:
      EmitRow();
      StartSequence();
      break;
    case DW_LNE_set_address: {
      const std::size_t size = body.left();
      const std::uint64_t vaddr = body.Unsigned(size);
      // An address of another size than 1, 2, 4 or 8 bytes: the sequence cannot be placed.
      if (body.ok()) SetAddress(WidenedTombstone(vaddr, size));
      break;
    }
    case DW_LNE_define_file: {
      LineFileEntry entry;
      entry.Read(body);
      if (body.ok()) defined.push_back(entry);
      break;
    }
    default:
      break;
  }
}

}  // namespace csink::symbolizer

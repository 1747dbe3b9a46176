#include "symbolizer/names/lines/scan.h"

#include <dwarf.h>

#include <algorithm>

/// File: adds up the advances of a sequence without computing lines or rows. A table with one
/// number for each opcode says how far the opcode advances the address; opcodes with operands have
/// markers instead. The bounds of a sequence are its first address and the sum of its advances;
/// this is exact as long as advances are not negative.

namespace csink::symbolizer {
namespace {

/// Larger advances are treated as steps backwards (a negative number reads as a huge one);
/// compilers do not write them.
constexpr std::uint64_t kMostAdvance = 1 << 24;

/// Effects of opcodes. Values below kNumber are the address advance of an opcode of one byte.
enum : std::uint32_t {
  kNumber = 1 << 16,  ///< No effect on the address; one LEB128 operand follows
  kStep,              ///< DW_LNS_advance_pc
  kOther,
};
/// Bytes of the longest instruction that Plain handles.
constexpr std::size_t kLongestPlain = 4;

}  // namespace

LineScan::LineScan(const LineHeader& header) : header_(header), left_(header.program) {
  // Opcodes with other operands, and those of a later standard, stop Plain and go to Standard.
  effects_.fill(kOther);
  // Rows and flags do not move the address.
  for (const std::uint8_t opcode : {DW_LNS_copy, DW_LNS_negate_stmt}) effects_[opcode] = 0;
  for (const std::uint8_t opcode : {DW_LNS_advance_line, DW_LNS_set_file, DW_LNS_set_column})
    effects_[opcode] = kNumber;
  effects_[DW_LNS_advance_pc] = kStep;
  std::uint32_t operations = 0;
  unsigned in_range = 0;
  // The address advance of special opcode n is (n - opcode_base) / line_range operations (6.2.5.1);
  // counted instead of divided, as line_range opcodes share one advance.
  for (unsigned opcode = header.opcode_base; opcode < effects_.size(); ++opcode) {
    effects_[opcode] = operations * header.min_instruction_bytes;
    if (++in_range == header.line_range) {
      in_range = 0;
      ++operations;
    }
  }
}

void LineScan::Span::Close() {
  // Below the start: the sum has overflowed, so that the bounds are not valid.
  const std::uint64_t end = start + advance;
  if (end < start) is_open = true;
  low = std::min(low, start);
  high = std::max(high, end);
}

void LineScan::Span::Set(std::uint64_t vaddr) {
  // A program may set addresses several times within a sequence.
  if (is_live) Close();
  start = vaddr;
  advance = 0;
  is_live = is_live || !IsTombstone(vaddr);
}

/// Steps over the most frequent opcodes. Stops at any other opcode, or near the end.
const std::uint8_t* LineScan::Plain(const std::uint8_t* next, std::uint64_t& advance) const {
  // The last bytes are left to Standard and Extended, so that the loop needs no check for the end.
  if (left_.size() < kLongestPlain) return next;
  const std::uint8_t* const last = left_.data() + left_.size() - kLongestPlain;
  std::uint64_t sum = 0;
  while (next < last) {
    const std::uint32_t effect = effects_[next[0]];
    if (effect < kNumber) {
      sum += effect;
      next += 1;
    } else if (effect == kNumber && next[1] < 0x80) {
      next += 2;
    } else if (effect == kNumber && next[2] < 0x80) {
      next += 3;
    } else if (next[0] == kExtendedOpcode && next[1] == 2 && next[2] == DW_LNE_set_discriminator) {
      next += 4;  // Its operand is one byte
    } else if (effect == kStep && next[1] < 0x80) {
      sum += std::uint64_t{next[1]} * header_.min_instruction_bytes;
      next += 2;
    } else {
      break;
    }
  }
  advance += sum;
  return next;
}

/// False: the program cannot be read further.
bool LineScan::Standard(std::uint8_t opcode, ByteReader& reader, Span& span) const {
  switch (opcode) {
    case DW_LNS_advance_pc: {
      const std::uint64_t operations = reader.Uleb();
      // The bounds are wrong then. An open sequence is run in any case.
      if (operations > kMostAdvance) span.is_open = true;
      span.advance += operations * header_.min_instruction_bytes;
      break;
    }
    case DW_LNS_const_add_pc:
      span.advance += (255u - header_.opcode_base) / header_.line_range *
                      std::uint64_t{header_.min_instruction_bytes};
      break;
    case DW_LNS_fixed_advance_pc:
      // DW_LNS_fixed_advance_pc has a 2-byte operand in bytes, whatever min_instruction_bytes says.
      span.advance += reader.U16();
      break;
    case DW_LNS_copy:
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
      break;
    case DW_LNS_advance_line:
    case DW_LNS_set_file:
    case DW_LNS_set_column:
    case DW_LNS_set_isa:
      reader.Uleb();
      break;
    default:
      for (unsigned i = 0; i < header_.operand_count[opcode]; ++i) reader.Uleb();
  }
  return reader.ok();
}

/// False: the sequence ends, or the program cannot be read further.
bool LineScan::Extended(ByteReader& reader, Span& span) const {
  ByteReader body(reader.Take(reader.Uleb()));
  switch (body.U8()) {
    case DW_LNE_end_sequence:
      return false;
    case DW_LNE_set_address: {
      const std::size_t size = body.left();
      const std::uint64_t vaddr = body.Unsigned(size);
      if (body.ok()) span.Set(WidenedTombstone(vaddr, size));
      break;
    }
    // Adds a file to those of the unit, so that the sequence must be run.
    case DW_LNE_define_file:
      span.is_open = true;
      break;
    default:
      break;
  }
  return reader.ok();
}

bool LineScan::Next(LineSequence& sequence) {
  if (left_.empty()) return false;
  // VLIW: opcodes advance operations, not addresses. The whole program is one open sequence.
  if (header_.max_operations > 1) {
    sequence = {left_, 0, 0, true};
    left_ = {};
    return true;
  }
  Span span;
  std::size_t at = 0;
  bool goes_on = true;
  while (goes_on) {
    at = static_cast<std::size_t>(Plain(left_.data() + at, span.advance) - left_.data());
    ByteReader reader(left_.subspan(at));
    if (reader.AtEnd()) {
      span.is_open = span.is_open || span.is_live;  // No end_sequence: the bounds are unknown
      break;
    }
    const std::uint8_t opcode = reader.U8();
    goes_on = opcode == kExtendedOpcode ? Extended(reader, span) : Standard(opcode, reader, span);
    if (!reader.ok()) span.is_open = true;
    at += reader.offset();
  }
  if (span.is_live) span.Close();
  sequence.program = left_.first(at);
  sequence.low = span.is_live ? span.low : 0;
  sequence.high = span.is_live ? span.high : 0;
  sequence.is_open = span.is_open;
  left_ = left_.subspan(at);
  return true;
}

}  // namespace csink::symbolizer

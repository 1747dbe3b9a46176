#include "symbolizer/line_runner.h"

#include "symbolizer/line_opcodes.h"

namespace csink::symbolizer {

void LineRunner::PrepareSpecial(const LineHeader& header) {
  const SpecialKey key{header.opcode_base, header.line_range, header.line_base};
  if (key == special_key_) return;
  special_key_ = key;
  for (unsigned opcode = header.opcode_base; opcode < special_.size(); ++opcode) {
    const unsigned adjusted = opcode - header.opcode_base;
    special_[opcode].operations = static_cast<std::uint8_t>(adjusted / header.line_range);
    special_[opcode].lines = static_cast<std::int16_t>(
        header.line_base + static_cast<int>(adjusted % header.line_range));
  }
}

inline void LineRunner::Standard(const LineHeader& header, std::uint8_t opcode,
                                 ByteReader& reader) {
  switch (opcode) {
    case kCopy:
      EmitRow();
      break;
    case kAdvancePc:
      Advance(header, reader.Uleb());
      break;
    case kAdvanceLine:
      row_.line += static_cast<std::uint32_t>(reader.Sleb());
      break;
    case kSetFile:
      row_.file = reader.Uleb();
      break;
    case kConstAddPc:
      Advance(header, (255u - header.opcode_base) / header.line_range);
      break;
    case kFixedAdvancePc:
      row_.vaddr += reader.U16();
      operation_ = 0;
      break;
    case kNegateStmt:
    case kSetBasicBlock:
    case kSetPrologueEnd:
    case kSetEpilogueBegin:
      break;
    case kSetColumn:
    case kSetIsa:
      reader.Uleb();
      break;
    default:
      for (unsigned i = 0; i < header.operand_count[opcode]; ++i) reader.Uleb();
  }
}

bool LineRunner::Run(const LineHeader& header, Bytes program, std::uint32_t unit,
                     std::vector<LineFileEntry>& defined) {
  unit_ = unit;
  kept_ = false;
  PrepareSpecial(header);
  StartSequence();
  ByteReader reader(program);
  while (!reader.AtEnd()) {
    const std::uint8_t opcode = reader.U8();
    if (opcode >= header.opcode_base) {
      const Special& special = special_[opcode];
      Advance(header, special.operations);
      row_.line += static_cast<std::uint32_t>(special.lines);
      EmitRow();
    } else if (opcode == kExtended) {
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
    case kEndSequence:
      EmitRow();
      StartSequence();
      break;
    case kSetAddress: {
      const std::size_t size = body.left();
      const std::uint64_t vaddr = body.Unsigned(size);
      // A sequence with an address of a strange size cannot be placed.
      if (body.ok()) SetAddress(WidenedTombstone(vaddr, size));
      break;
    }
    case kDefineFile: {
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

#pragma once

#include <cstdint>

/// File: the opcodes of line programs (DWARF 5, 6.2.5 and 7.22).

namespace csink::symbolizer {

/// Standard opcodes (DW_LNS_*). Opcodes from LineHeader::opcode_base on are special opcodes;
/// kExtended is followed by a length and an extended opcode.
enum LineOpcode : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kNegateStmt = 6,
  kSetBasicBlock = 7,
  /// Advances the address like special opcode 255, without a row.
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
  kSetPrologueEnd = 10,
  kSetEpilogueBegin = 11,
  kSetIsa = 12,
};
/// Extended opcodes (DW_LNE_*). Others are stepped over by their length.
enum LineExtendedOpcode : std::uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kDefineFile = 3,
  kSetDiscriminator = 4,
};

}  // namespace csink::symbolizer

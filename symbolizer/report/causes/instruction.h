#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// File: what an instruction of x86-64 costs its time for, by its text in AT&T syntax (as the
/// disassembler writes it).

namespace csink::report {

/// Classes of instructions, as bits. One may have several.
using InstructionClasses = std::uint32_t;
inline constexpr InstructionClasses kPacked = 1;     ///< Computes with, or moves, whole vectors
inline constexpr InstructionClasses kFloat = 2;      ///< Adds, multiplies, divides, takes roots
inline constexpr InstructionClasses kDivides = 4;    ///< Of integers
inline constexpr InstructionClasses kLocked = 8;     ///< lock prefix, xchg with memory
inline constexpr InstructionClasses kRepeats = 16;   ///< rep movs and relatives
inline constexpr InstructionClasses kIndirect = 32;  ///< Call or jump by a register or a table
inline constexpr InstructionClasses kCalls = 64;
inline constexpr InstructionClasses kOnStack = 128;  ///< Memory by the stack or frame pointer
inline constexpr InstructionClasses kOnMemory =
    256;  ///< Other memory, but that of the module's data
inline constexpr InstructionClasses kPauses = 512;
inline constexpr unsigned kInstructionClasses = 10;
/// Whose cost is often sampled on the instruction behind.
inline constexpr InstructionClasses kSlow =
    kFloat | kDivides | kLocked | kRepeats | kIndirect | kCalls | kOnMemory | kPauses;

/// 0 for data, and for an instruction in no class.
InstructionClasses ClassesOf(std::string_view text);

/// Bytes of the widest vector register that the text names: 64, 32, 16; 0: none.
unsigned VectorBytes(std::string_view text);

/// Bytes of one lane of a packed computation of floating-point numbers, 4 or 8; else 0.
unsigned LaneBytes(std::string_view text);

/// The text without what a build moves: addresses of data and of code. Equal code of two builds has
/// equal texts. Immediate operands stay.
std::string WithoutAddresses(std::string_view text);

/// The function that a direct call or jump leads to, as the text names it; empty: none, or a label
/// of the same function.
std::string_view TargetOf(std::string_view text);

}  // namespace csink::report

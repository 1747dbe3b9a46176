#pragma once

#include <cstdint>
#include <optional>

namespace csink::symbolizer {

/// How a relocation is applied to a section of debug information: the value written is symbol +
/// addend, less the address of the field if it is relative. Carries into other fields and checks
/// for overflow are not needed: fields hold whole addresses and offsets.
struct RelocationField {
  std::uint8_t bytes = 0;    ///< Size of the field; 0: nothing is written
  bool is_relative = false;  ///< The address of the field is subtracted
};

/// Whether object files of this machine (e_machine) can be linked: x86-64, i386, AArch64 and Arm.
/// The types are those of the processors' ELF supplements (elf.h: R_X86_64_*, ...).
bool KnowsRelocations(std::uint16_t machine);

/// How relocations of `type` are applied on this machine. nullopt: compilers do not use this type
/// in debug information, or the machine is not known.
std::optional<RelocationField> FieldOf(std::uint16_t machine, std::uint32_t type);

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>
#include <optional>

namespace csink::symbolizer {

/// What one relocation writes into a section with debug information: symbol + addend.
struct RelocationField {
  std::uint8_t bytes = 0;    ///< Size of the field; 0: nothing is written
  bool is_relative = false;  ///< Less the field's own address
};

/// False: object files of this machine cannot be linked. Known are x86-64, i386, AArch64 and Arm.
bool KnowsRelocations(std::uint16_t machine);

/// nullopt: a type that compilers do not write into debug information.
std::optional<RelocationField> FieldOf(std::uint16_t machine, std::uint32_t type);

}  // namespace csink::symbolizer

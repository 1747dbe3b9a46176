#include "symbolizer/names/elf/relocation.h"

#include <elf.h>

#include <algorithm>
#include <span>

/// File: the relocation types that occur in debug sections and unwind entries of object files, by
/// machine. A file with any other type is refused (linked_object.cpp): a field that keeps its old
/// contents would give wrong names, which is worse than none.

namespace csink::symbolizer {
namespace {

struct Known {
  std::uint32_t type;
  RelocationField field;
};

// Known, and to be left as it is.
constexpr RelocationField kNothing{};

constexpr RelocationField Absolute(std::uint8_t bytes) { return {bytes, false}; }
constexpr RelocationField Relative(std::uint8_t bytes) { return {bytes, true}; }

// Offsets of thread-local variables (DTPOFF, LDO) occur in locations of variables, which csink does
// not read.
constexpr Known kX86_64[] = {
    {R_X86_64_NONE, kNothing},     {R_X86_64_64, Absolute(8)},   {R_X86_64_32, Absolute(4)},
    {R_X86_64_32S, Absolute(4)},   {R_X86_64_16, Absolute(2)},   {R_X86_64_8, Absolute(1)},
    {R_X86_64_PC64, Relative(8)},  {R_X86_64_PC32, Relative(4)}, {R_X86_64_PLT32, Relative(4)},
    {R_X86_64_PC16, Relative(2)},  {R_X86_64_PC8, Relative(1)},  {R_X86_64_DTPOFF64, kNothing},
    {R_X86_64_DTPOFF32, kNothing},
};
constexpr Known kI386[] = {
    {R_386_NONE, kNothing},       {R_386_32, Absolute(4)},   {R_386_16, Absolute(2)},
    {R_386_8, Absolute(1)},       {R_386_PC32, Relative(4)}, {R_386_PLT32, Relative(4)},
    {R_386_TLS_LDO_32, kNothing},
};
constexpr Known kAarch64[] = {
    {R_AARCH64_NONE, kNothing},      {R_AARCH64_ABS64, Absolute(8)},
    {R_AARCH64_ABS32, Absolute(4)},  {R_AARCH64_ABS16, Absolute(2)},
    {R_AARCH64_PREL64, Relative(8)}, {R_AARCH64_PREL32, Relative(4)},
    {R_AARCH64_PREL16, Relative(2)},
};
constexpr Known kArm[] = {
    {R_ARM_NONE, kNothing},    {R_ARM_ABS32, Absolute(4)}, {R_ARM_ABS16, Absolute(2)},
    {R_ARM_ABS8, Absolute(1)}, {R_ARM_REL32, Relative(4)}, {R_ARM_TLS_LDO32, kNothing},
};

std::span<const Known> TableOf(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return kX86_64;
    case EM_386:
      return kI386;
    case EM_AARCH64:
      return kAarch64;
    case EM_ARM:
      return kArm;
    default:
      return {};
  }
}

}  // namespace

bool KnowsRelocations(std::uint16_t machine) { return !TableOf(machine).empty(); }

std::optional<RelocationField> FieldOf(std::uint16_t machine, std::uint32_t type) {
  const auto table = TableOf(machine);
  const auto known =
      std::find_if(table.begin(), table.end(), [&](const Known& one) { return one.type == type; });
  return known == table.end() ? std::nullopt : std::optional(known->field);
}

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>

/// File: the DWARF constants that <dwarf.h> of elfutils 0.188 lacks.

namespace csink::symbolizer::dwarf {

/// DW_LANG_Ada2005 and DW_LANG_Ada2012, registered after DWARF 5 and written by GNAT.
inline constexpr std::uint16_t kLanguageAda2005 = 0x2e;
inline constexpr std::uint16_t kLanguageAda2012 = 0x2f;

}  // namespace csink::symbolizer::dwarf

namespace csink::symbolizer {

/// Where the line table of a unit begins in .debug_line, when the unit has none: no offset of a
/// section is so large. In this file because dwarf/ and lines/ both use it.
inline constexpr std::uint64_t kNoLines = ~std::uint64_t{0};

}  // namespace csink::symbolizer

#pragma once

#include <string>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// A compilation: its source file (DW_AT_name), and the compiler with its options (DW_AT_producer;
/// gcc has the options there, clang and rustc do not).
struct Producer {
  std::string source;
  std::string text;
};

/// Those of the units of `file` that have both, in the order of .debug_info, at most
/// kMostProducers. Texts in a supplementary file (dwz) are not read. The work is limited
/// (dwarf::kMaxRootCost). Threads: any.
std::vector<Producer> ProducersOf(const ElfFile& file);
inline constexpr std::size_t kMostProducers = 100'000;

}  // namespace csink::symbolizer

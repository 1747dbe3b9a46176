#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// The variable that contains an address.
struct DataHit {
  std::string name;          ///< As in the symbol table, without @VERSION
  std::uint64_t offset = 0;  ///< From the variable's start, bytes
};

/// Names addresses of data by the symbols of type STT_OBJECT in all symbol tables of `files`, whose
/// addresses agree (a file and its debug file). Of several variables that contain an address, the
/// one with the last start wins, then the smallest, then the first name in the alphabet. One answer
/// for each of `addresses`, in their order.
/// Cost: one pass over each table, in pieces.
std::vector<std::optional<DataHit>> MatchDataSymbols(std::span<const ElfFile* const> files,
                                                     std::span<const std::uint64_t> addresses);

}  // namespace csink::symbolizer

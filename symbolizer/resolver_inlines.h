#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbolizer/elf_file.h"
#include "symbolizer/resolver.h"

namespace csink::symbolizer {

/// Where debug information was opened, for the files that it refers to.
struct InfoPlace {
  const std::string& path;
  const std::string& module_path;
  const std::string& root;
};

/// Fills Location::inlined from the .debug_info of `info`, and names what no symbol names. `vaddrs`
/// is sorted, `locations` has one for each with what symbols and lines told.
void AddInlines(const ElfFile& info, const InfoPlace& place, std::span<const std::uint64_t> vaddrs,
                std::vector<Location>& locations);

}  // namespace csink::symbolizer

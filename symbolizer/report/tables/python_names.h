#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/names/resolve/resolver.h"

namespace csink::report {

/// The line of the instruction that ends at `instruction` (an offset in bytes in the function's
/// code); 0: none, or not known. `lines`: co_linetable of CPython 3.11 and later.
/// Source: Objects/locations.md of CPython 3.11 (InternalDocs/code_objects.md later).
std::uint32_t PythonLine(std::string_view lines, std::uint32_t first_line,
                         std::uint32_t instruction);

/// The names of places in Python functions: offsets are spool::PythonPc with an index into
/// `functions`.
symbolizer::ModuleAnswer PythonAnswer(const std::vector<PythonFunction>& functions,
                                      const std::vector<std::uint64_t>& offsets);

}  // namespace csink::report

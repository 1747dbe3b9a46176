#pragma once

#include <string_view>

#include "symbolizer/names/query/answer.h"

namespace csink::symbolizer {

/// The suffix that a compiler appended to a function's name for a part or a copy of the function:
/// ".cold", ".part.0", ".isra.0.constprop.1", ".lto_priv.0", ".llvm.123". Empty if there is none.
/// "._omp_fn.0" is not treated as such a suffix: the outlined body of an OpenMP region is reported
/// as a function of its own. `raw_name` is a mangled name; the result points into it, at its end.
std::string_view CloneSuffix(std::string_view raw_name);

/// Merges parts and copies into their function: their locations get the name without the suffix,
/// and the start address of the function itself if it is in the answer, else the start of the first
/// part. Several static functions of the same name in one module cannot be told apart here; their
/// parts are merged into the first one. Lines and inlined functions of the locations stay as they
/// are.
void MergeClones(ModuleAnswer& answer);

}  // namespace csink::symbolizer

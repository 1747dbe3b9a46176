#pragma once

#include <string_view>

#include "symbolizer/query/answer.h"

namespace csink::symbolizer {

/// What a compiler put behind a function's name for a piece or a copy that it made of it:
/// ".cold", ".part.0", ".isra.0.constprop.1", ".lto_priv.0", ".llvm.123". Empty for a name without.
/// "._omp_fn.0" is no such piece: what it runs is a function of its own.
std::string_view CloneSuffix(std::string_view raw_name);

/// Makes pieces and copies one with their function: they get its name without suffix, and its start
/// where it is in the answer, else that of the first piece. Several static functions of one name
/// in a module cannot be told apart here: their pieces go to the first.
void MergeClones(ModuleAnswer& answer);

}  // namespace csink::symbolizer

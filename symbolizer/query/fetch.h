#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace csink::symbolizer {

enum class FetchKind {
  kDebugInfo,   ///< The file with symbols and lines
  kExecutable,  ///< The file that was mapped
};

/// Gets a file by build id from somewhere else: its path here (no root goes before it), or ""
/// when there is none. May take long; whoever makes one remembers what is not to be had.
using FetchFile =
    std::function<std::string(const std::vector<std::uint8_t>& build_id, FetchKind kind)>;

}  // namespace csink::symbolizer

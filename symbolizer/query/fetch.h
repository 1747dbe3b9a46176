#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace csink::symbolizer {

/// What of a module is wanted from a server.
enum class FetchKind {
  kDebugInfo,   ///< The separate file with symbols and lines
  kExecutable,  ///< The file that was mapped
};

/// Gets a file by build id from another place, such as a debuginfod server. Returns its local path
/// (Options::root is not put before it), or "" if there is no such file. A call may take long;
/// implementations remember failed requests. The caller compares the build id of what it gets: the
/// path need not be trusted.
using FetchFile =
    std::function<std::string(const std::vector<std::uint8_t>& build_id, FetchKind kind)>;

}  // namespace csink::symbolizer

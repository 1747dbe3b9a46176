#pragma once

#include <string>
#include <vector>

/// File: `csink papi`: runs a program with our libpapi, which is installed where the loader does
/// not look for libraries (docs/packages.md).

namespace csink::tool {

struct PapiOptions {
  /// Prints the prefix of the private libpapi and runs nothing.
  bool print_prefix = false;
};

/// The folders of our libpapi, as absolute paths.
struct PapiPlace {
  /// Has lib, bin, include and share, as the prefix of any library; "" in a build tree.
  std::string prefix;
  std::string libraries;  ///< Has libpapi.so.7.0
  std::string programs;   ///< Has papi_avail and the other utilities
};

/// Finds our libpapi relative to this program. All members are empty if there is none.
PapiPlace FindPapi();

/// `first` in front of `list`, a list separated by colons. An empty list stays without a colon at
/// its end, which would mean the current folder. Entries equal to `first` are removed from `list`.
std::string WithFirst(const std::string& first, const std::string& list);

/// Replaces this process by `command`, with our libpapi first in LD_LIBRARY_PATH, our utilities
/// first in PATH and their pages first in MANPATH; its children inherit them. Warns of a program
/// that ignores LD_LIBRARY_PATH. Returns only without an exec, with the exit status: 0 after
/// --prefix; kExitUsage without a command; kExitNothing without a libpapi; as shells do 127 if the
/// command was not found, and 126 if it cannot be executed.
int RunPapi(const PapiOptions& options, const std::vector<std::string>& command);

}  // namespace csink::tool

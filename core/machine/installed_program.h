#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "core/util/raw_syscall.h"
#include "core/util/text.h"

/// File: finds the programs that belong to a libagent.so, in an installation and in a build tree.
/// Threads: any. Signals: safe.

namespace csink {

/// Where a program is.
enum class ProgramKind {
  kTool,    ///< In bin: csink
  kHelper,  ///< In libexec: csink-meter, csink-attach
};

/// A folder, seen from that of libagent.so: `up` folders up, and then down to `folder`.
struct ProgramPlace {
  int up;
  char folder[60];  ///< "" or with a '/' at its end. No pointer, which would be relocated at each
                    ///< start
};
/// Where programs of a kind are looked for, in this order.
std::span<const ProgramPlace> PlacesOf(ProgramKind kind) noexcept;

/// A path up to its last '/', inclusive; "" without one.
constexpr std::string_view FolderOf(std::string_view path) noexcept {
  return path.substr(0, path.rfind('/') + 1);
}

/// Whether the real user and group may execute a file.
inline bool MayExecute(const char* path) noexcept {
  return RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(path), X_OK) == 0;
}

/// Puts the path of the program `name` that belongs to the libagent.so at `library` into `path`.
/// Returns false if there is none that this process may execute, or if its path is too long.
template <std::size_t N>
bool FindInstalled(std::string_view library, std::string_view name, ProgramKind kind,
                   Text<N>& path) noexcept {
  if (library.empty()) return false;
  for (const ProgramPlace& place : PlacesOf(kind)) {
    std::string_view folder = FolderOf(library);
    for (int i = 0; i < place.up && folder.size() > 1; ++i) {
      folder = FolderOf(folder.substr(0, folder.size() - 1));
    }
    path.Clear();
    path.Add(folder).Add(place.folder).Add(name);
    // A longer path would have been cut.
    if (path.size() + 1 < N && MayExecute(path.c_str())) return true;
  }
  return false;
}

}  // namespace csink

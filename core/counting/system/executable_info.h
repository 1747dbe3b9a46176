#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink {

/// Where a program or library is mapped in this process, as addresses in memory (after address
/// space randomisation). Ends are exclusive; for an absent part both are 0.
struct ModuleBounds {
  std::string path;  ///< Absolute path of the mapped file; the loader's name where there is none
  std::uint64_t text_start = 0, text_end = 0;  ///< From the first to the last executable segment
  std::uint64_t data_start = 0, data_end = 0;  ///< Writable, initialised from the file
  std::uint64_t bss_start = 0, bss_end = 0;    ///< Writable, zero-initialised

  /// Equal paths and bounds: callers find out whether the list has changed.
  bool operator==(const ModuleBounds&) const = default;
};

/// The program, then its libraries in the loader's order, including the loader and without the
/// kernel's vdso. Reads anew at each call, so dlopen and dlclose take effect. Without /proc the
/// paths are the names that the loader was asked for.
/// Threads: any. Signals: not safe: takes the loader's lock.
std::vector<ModuleBounds> ReadModules();

/// The full path of the program's own file (/proc/self/exe); "" where /proc is not available. Ends
/// in " (deleted)" where the file was removed. Threads: any.
std::string ExecutablePath();

}  // namespace csink

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink {

/// Where one program or library lies in this process: addresses as they are in memory, whatever
/// the randomisation of the address space did; ends are exclusive; an absent part is 0 to 0.
struct ModuleBounds {
  std::string path;  ///< The mapped file's, absolute; the loader's name when the kernel has none
  std::uint64_t text_start = 0, text_end = 0;  ///< All executable segments
  std::uint64_t data_start = 0, data_end = 0;  ///< Writable, with bytes in the file
  std::uint64_t bss_start = 0, bss_end = 0;    ///< Writable, zero at the start

  bool operator==(const ModuleBounds&) const = default;
};

/// The program first, then its libraries in the loader's order, the loader itself included, the
/// kernel's vdso not. What dlopen and dlclose do shows in the next call.
/// Threads: any. Takes the loader's lock: not from a signal handler.
std::vector<ModuleBounds> ReadModules();

/// The program's own file with its full path; "" when /proc is not there.
std::string ExecutablePath();

}  // namespace csink

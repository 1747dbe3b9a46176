#pragma once

#include <cstdint>

#include "core/machine/process_memory.h"

namespace csink::agent {

/// Where the data at an address comes from.
struct DataPlace {
  std::uint64_t code = 0;  ///< Start of the module's first executable mapping; 0: no module's data
  std::uint64_t offset = 0;  ///< The address less the module's load bias, as in its symbol table
};

/// Finds the module whose data or .bss contains `address`: reads the list of mappings `maps`
/// ("/proc/thread-self/maps") up to that address (50 us for thirty mappings), and the ELF header
/// through `memory`. Memory of the heap and of stacks has no module.
/// Threads: one at a time for `memory`. Signals: safe (lock_place_signal.cpp); needs 6 KiB of
/// stack.
DataPlace PlaceOfData(const char* maps, std::uint64_t address, ProcessMemory& memory) noexcept;

}  // namespace csink::agent

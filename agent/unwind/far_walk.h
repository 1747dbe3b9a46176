#pragma once

#include <stddef.h>
#include <stdint.h>

/// File: the interface between libagent.so and libagent-unwind.so. Plain C and no common symbol:
/// libagent.so opens the other library by name, and only if CSINK_STACKS=unwind asks for it.

extern "C" {

/// The unwind tables of the image that contains an address. Addresses of this process.
struct CsinkUnwindTables {
  /// The executable mapping that contains the address
  uint64_t start;
  /// First address behind that mapping
  uint64_t end;
  uint64_t header;  ///< .eh_frame_hdr
  /// The sorted table of .eh_frame_hdr: pairs of 32 bits, relative to the header
  uint64_t table;
  uint64_t entries;  ///< Number of pairs
};

/// One stack to be walked: its registers, and functions that answer questions about memory. Each
/// function returns 1, or 0 if there is no answer; none of them faults. `asker` is their first
/// argument.
struct CsinkUnwindRequest {
  void* asker;
  /// By DWARF's numbers of registers
  const uint64_t* registers;
  size_t register_count;
  /// Reads the 8 bytes at `address`.
  int (*read)(void* asker, uint64_t address, uint64_t* word);
  /// Finds the unwind tables for the code at `pc`.
  int (*find)(void* asker, uint64_t pc, struct CsinkUnwindTables* tables);
  /// Gets a caller, innermost first. `interrupted`: `address` is not a return address, because a
  /// signal handler was called between. Returns 0 to end the walk.
  int (*take)(void* asker, uint64_t address, int interrupted);
};

/// Prepares the library; before the first request, where memory may be allocated. Returns 1, or 0
/// if that is impossible. Signals: not safe.
typedef int CsinkUnwindStart(void);
/// Walks one stack. Returns 1 if the outermost caller was reached, 0 if the stack goes on but could
/// not be followed, or if `take` has ended the walk. Threads: one at a time. Signals: safe after
/// the start.
typedef int CsinkUnwindWalk(const struct CsinkUnwindRequest* request);
}

/// Names for dlopen and dlsym.
#define CSINK_UNWIND_LIBRARY "libagent-unwind.so"
#define CSINK_UNWIND_START "csink_unwind_start"
#define CSINK_UNWIND_WALK "csink_unwind_walk"

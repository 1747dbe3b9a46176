#pragma once

#include <stddef.h>
#include <stdint.h>

/// File: what libagent.so and libagent-unwind.so say to each other. Plain C, no symbol in common:
/// the one opens the other by name, and only when CSINK_STACKS=unwind asks for it.

extern "C" {

struct CsinkUnwindTables {
  uint64_t start;   ///< The executable mapping that holds the address
  uint64_t end;     ///< First address behind it
  uint64_t header;  ///< .eh_frame_hdr
  uint64_t table;   ///< Its sorted table: pairs of 32 bits, relative to the header
  uint64_t entries;
};

/// One stack to be walked: where it stood, and how to look at it. Every look answers 1, or 0 when
/// there is nothing; none of them faults.
struct CsinkUnwindRequest {
  void* asker;
  const uint64_t* registers;  ///< By DWARF's numbers
  size_t register_count;
  int (*read)(void* asker, uint64_t address, uint64_t* word);
  int (*find)(void* asker, uint64_t pc, struct CsinkUnwindTables* tables);
  /// A caller, innermost first; `interrupted`: not a return address, a signal handler came in
  /// between. 0: no more, please.
  int (*take)(void* asker, uint64_t address, int interrupted);
};

/// Ready for requests; before the first one, where memory may be allocated. 1, or 0: impossible.
typedef int CsinkUnwindStart(void);
/// 1: the outermost caller was reached. 0: it goes on, but could not be followed.
/// Threads: one at a time. Signals: safe after the start.
typedef int CsinkUnwindWalk(const struct CsinkUnwindRequest* request);
}

#define CSINK_UNWIND_LIBRARY "libagent-unwind.so"
#define CSINK_UNWIND_START "csink_unwind_start"
#define CSINK_UNWIND_WALK "csink_unwind_walk"

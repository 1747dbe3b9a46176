#pragma once

#include "core/counting/system/system_tree.h"
#include "core/util/result.h"

namespace csink {

/// The memory of this process as the kernel accounts for it (/proc/thread-self/status and statm;
/// proc(5)), in KiB; kUnknown where the kernel does not report it. The values are read one after
/// the other and need not fit together.
struct MemoryInfo {
  /// No size is negative.
  static constexpr long long kUnknown = -1;

  /// The names are those of the lines in status; proc(5) describes what each of them counts.
  long long peak_kib = kUnknown;             ///< VmPeak: the largest address space so far
  long long size_kib = kUnknown;             ///< VmSize: the address space
  long long resident_kib = kUnknown;         ///< VmRSS
  long long high_water_mark_kib = kUnknown;  ///< VmHWM: the largest resident set so far
  long long shared_kib = kUnknown;      ///< Third field of statm: resident pages backed by files
  long long text_kib = kUnknown;        ///< VmExe
  long long library_kib = kUnknown;     ///< VmLib
  long long heap_kib = kUnknown;        ///< VmData: private writable memory without stacks
  long long locked_kib = kUnknown;      ///< VmLck
  long long stack_kib = kUnknown;       ///< VmStk: the main thread's stack
  long long page_table_kib = kUnknown;  ///< VmPTE
  /// Of a small page (sysconf(_SC_PAGESIZE)).
  long long page_bytes = kUnknown;
};

/// Reads the values anew. Values that are malformed are kUnknown. Errors: kNotFound (there is no
/// /proc).
/// Threads: any; works also after the main thread has ended. Signals: not safe (heap).
Result<MemoryInfo> ReadMemoryInfo(const SystemTree& tree = SystemTree());

}  // namespace csink

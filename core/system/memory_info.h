#pragma once

#include "core/system/system_tree.h"
#include "core/util/result.h"

namespace csink {

/// The memory of this process as the kernel accounts for it (/proc/thread-self/status and statm),
/// in KiB; kUnknown where this kernel does not say.
struct MemoryInfo {
  static constexpr long long kUnknown = -1;

  long long peak_kib = kUnknown;             ///< VmPeak: the largest size so far
  long long size_kib = kUnknown;             ///< VmSize: address space
  long long resident_kib = kUnknown;         ///< VmRSS
  long long high_water_mark_kib = kUnknown;  ///< VmHWM: the largest resident set so far
  long long shared_kib = kUnknown;      ///< statm's third field: resident pages with a file behind
  long long text_kib = kUnknown;        ///< VmExe
  long long library_kib = kUnknown;     ///< VmLib
  long long heap_kib = kUnknown;        ///< VmData: private writable memory but stacks
  long long locked_kib = kUnknown;      ///< VmLck
  long long stack_kib = kUnknown;       ///< VmStk: the main thread's stack
  long long page_table_kib = kUnknown;  ///< VmPTE
  long long page_bytes = kUnknown;
};

/// Errors: kNotFound when there is no /proc. Threads: any; also when the main thread has ended.
Result<MemoryInfo> ReadMemoryInfo(const SystemTree& tree = SystemTree());

}  // namespace csink

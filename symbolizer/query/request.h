#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/bytes/owned_file.h"
#include "symbolizer/query/fetch.h"

/// File: a request to the symbolizer: a module, the file offsets that were sampled in it, and where
/// its files may be.

namespace csink::symbolizer {

/// How much of a file is read. Each step includes the one before.
enum class Detail {
  kFunctions,  ///< Symbol tables
  kLines,      ///< ... and .debug_line; .debug_info for addresses whose own row has line 0
  kInlines,    ///< ... and .debug_info of the compilation units that were hit
};

/// A process as its spool identifies it.
struct ProcessId {
  std::uint32_t pid = 0;          ///< In its own pid namespace
  std::uint64_t start_ticks = 0;  ///< /proc/PID/stat, field 22; 0: unknown, never found
};

/// One mapped file, and the file offsets that were sampled in it.
struct ModuleRequest {
  std::string path;                    ///< As mapped, without " (deleted)"
  std::vector<std::uint8_t> build_id;  ///< Of the mapped image; empty: unknown
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;  ///< 0: unknown
  bool is_vdso = false;
  bool is_deleted = false;
  bool is_running_kernel = false;      ///< "[kernel]" of the kernel that runs now
  bool is_anonymous = false;           ///< JIT or huge-page text: no file
  std::uint64_t region_start = 0;      ///< Anonymous regions only: start, to print addresses
  PerfMapOwner owner;                  ///< Anonymous regions only: process whose map may name them
  std::vector<std::string> jit_dumps;  ///< Anonymous regions only: jitdump files of the process
  std::vector<ProcessId> processes;    ///< Processes that mapped the file and may still run
  std::vector<std::uint64_t>
      file_offsets;                ///< Sorted, unique. Anonymous regions: process addresses
  Detail detail = Detail::kLines;  ///< How much is wanted
};

/// Where files are looked for, and where answers are cached.
struct Options {
  /// Put before every path of modules and debug files. For tests.
  std::string root;
  /// The folder in which JITs write their maps (jit/perf_map.h).
  std::string perf_maps = "/tmp";
  /// Called for files that are not on this machine; empty: nothing is fetched.
  FetchFile fetch;
  /// Where answers are cached (cache/cached_resolver.h); empty: no cache.
  std::string cache_folder;
  std::uint64_t cache_bytes = 256u << 20;       ///< Largest size of the cache folder
  std::uint64_t cache_from_cpu_ns = 3'000'000;  ///< Answers that took less CPU time are not cached
};

}  // namespace csink::symbolizer

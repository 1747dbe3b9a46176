#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/bytes/owned_file.h"
#include "symbolizer/query/fetch.h"

/// File: what the symbolizer is asked: a module, the file offsets that were sampled in it, and
/// where to look for its files.

namespace csink::symbolizer {

/// How much is read of a file, each step more than the one before.
enum class Detail {
  kFunctions,  ///< Symbol tables
  kLines,      ///< ... and .debug_line; .debug_info for addresses whose own row has line 0
  kInlines,    ///< ... and .debug_info of the compilation units that were hit
};

/// A process as its spool names it.
struct ProcessId {
  std::uint32_t pid = 0;          ///< In its own pid namespace
  std::uint64_t start_ticks = 0;  ///< /proc/PID/stat, field 22; 0: unknown, never found
};

/// One mapped file and the file offsets hit in it.
struct ModuleRequest {
  std::string path;                    ///< As mapped, without " (deleted)"
  std::vector<std::uint8_t> build_id;  ///< Of the mapped image; empty: unknown
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;  ///< 0: unknown
  bool is_vdso = false;
  bool is_deleted = false;
  bool is_running_kernel = false;           ///< "[kernel]": of the kernel that runs now
  bool is_anonymous = false;                ///< JIT or huge-page text: no file
  std::uint64_t region_start = 0;           ///< For anonymous regions: to print addresses
  PerfMapOwner owner;                       ///< For anonymous regions: who may have named them
  std::vector<std::string> jit_dumps;       ///< For anonymous regions: jitdump files of the process
  std::vector<ProcessId> processes;         ///< Who may still run and have it mapped
  std::vector<std::uint64_t> file_offsets;  ///< Sorted, unique. For anonymous regions: addresses
  Detail detail = Detail::kLines;           ///< How much is wanted
};

struct Options {
  /// Put before every path of a module and of debug files; tests use it.
  std::string root;
  /// Where JITs leave their maps (perf_map.h).
  std::string perf_maps = "/tmp";
  /// Asked for what is not here; empty: nobody is.
  FetchFile fetch;
  /// Where answers are kept for later (cache/cached_resolver.h); empty: nowhere.
  std::string cache_folder;
  std::uint64_t cache_bytes = 256u << 20;       ///< The folder grows no larger
  std::uint64_t cache_from_cpu_ns = 3'000'000;  ///< What was found sooner is not kept
};

}  // namespace csink::symbolizer

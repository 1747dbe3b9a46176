#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "symbolizer/names/bytes/owned_file.h"

/// File: a request to the symbolizer: a module, the file offsets that were sampled in it, and where
/// its files may be.

namespace csink::symbolizer {

/// What of a module is wanted from a server.
enum class FetchKind {
  kDebugInfo,   ///< The separate file with symbols and lines
  kExecutable,  ///< The file that was mapped
};

/// Gets a file by build id from another place, such as a debuginfod server. Returns its local path
/// (Options::root is not put before it), or "" if there is no such file. A call may take long;
/// implementations remember failed requests. The caller compares the build id of what it gets: the
/// path need not be trusted.
using FetchFile =
    std::function<std::string(const std::vector<std::uint8_t>& build_id, FetchKind kind)>;

/// How much of a file is read. Each step includes the one before.
enum class Detail {
  kFunctions,  ///< Symbol tables
  kLines,      ///< ... and .debug_line; .debug_info for addresses whose own row has line 0
  kInlines,    ///< ... and .debug_info of the compilation units that were hit
};

/// A process as its spool identifies it. Pid and start time together are unique until the machine
/// restarts.
struct ProcessId {
  std::uint32_t pid = 0;          ///< In its own pid namespace
  std::uint64_t start_ticks = 0;  ///< /proc/PID/stat, field 22; 0: unknown, never found
};

/// One mapped file, and the file offsets that were sampled in it. The kernel is a module, too
/// ("[kernel]"); its offsets are addresses.
struct ModuleRequest {
  /// As mapped, without " (deleted)". In a container, a path below the process's own root.
  std::string path;
  /// Of the mapped image, not of the file that is at the path now; empty: unknown.
  std::vector<std::uint8_t> build_id;
  /// The file's device and inode as /proc/PID/maps showed them; 0: unknown. Compared where there is
  /// no build id.
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;
  /// The kernel's code in every process: it has no file, and its path is "[vdso]".
  bool is_vdso = false;
  /// The file had no name any more when its mapping was recorded.
  bool is_deleted = false;
  /// "[kernel]" of the kernel that runs now. Another kernel, or an earlier boot, cannot be named.
  bool is_running_kernel = false;
  /// JIT or huge-page text: no file. The next three members are for such regions alone.
  bool is_anonymous = false;
  /// Start of the region, to print addresses relative to it.
  std::uint64_t region_start = 0;
  /// The process whose perf map and jitdump files may name the code.
  PerfMapOwner owner;
  /// Paths of the jitdump files of the process, from its mappings.
  std::vector<std::string> jit_dumps;
  /// Where a copy of the file may have been kept when its process ended; empty: nowhere
  /// (locate/kept_module.h).
  std::string kept_folder;
  /// Processes that mapped the file and may still run: files that the path does not lead to are
  /// opened through them.
  std::vector<ProcessId> processes;
  /// What was sampled: sorted, unique. Anonymous regions and the kernel: addresses; files that are
  /// never mapped: see resolve/addressing.h.
  std::vector<std::uint64_t> file_offsets;
  /// Addresses of data in the file's own address space, in any order: names of variables are
  /// wanted.
  std::vector<std::uint64_t> data_addresses = {};
  /// Names of exported functions: what each of them reaches in two direct calls is wanted
  /// (elf/direct_calls.h).
  std::vector<std::string> calls_from = {};
  /// How much is wanted.
  Detail detail = Detail::kLines;
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
  /// Largest size of the cache folder, in bytes.
  std::uint64_t cache_bytes = 256u << 20;
  /// Answers that took less CPU time, in ns, are not cached (docs/design/symbolizer.md, "The
  /// cache").
  std::uint64_t cache_from_cpu_ns = 3'000'000;
};

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/fetch.h"
#include "symbolizer/live_process.h"
#include "symbolizer/perf_map.h"

/// File: the symbolizer's public face. (module, file offsets) -> functions and lines.
///
/// All PCs are known before we start, so there is no query for one PC: a module's
/// offsets are resolved in one batch, each file is opened once, each symbol table
/// and each line table is read once.

namespace csink::symbolizer {

/// How a name was found, best first.
enum class NameSource {
  kSymbol,   ///< .symtab or .dynsym, the PC inside the symbol
  kPerfMap,  ///< the JIT's own map
  kPlt,      ///< a PLT stub: "rand@plt"
  kFde,      ///< stripped code: the bounds of its unwind entry, "[libfoo.so+0x15bf9]"
  kNone,     ///< nothing known: "[libfoo.so+0x15bf9]", the PC alone
};

/// How much is read of a file, each step more than the one before (ARCHITECTURE: tiers 0 to 2).
enum class Detail {
  kFunctions,  ///< Symbol tables
  kLines,      ///< ... and .debug_line; .debug_info for addresses whose own row has line 0
  kInlines,    ///< ... and .debug_info of the compilation units that were hit
};

/// A function that was inlined at one PC.
struct InlineFrame {
  std::string function;         ///< Demangled, ready to show
  std::string raw_name;         ///< Linkage name; empty where there is none
  std::string call_file;        ///< Where the next frame, in which it was inlined, called it
  std::uint32_t call_line = 0;  ///< 0: unknown
};

/// The answer for one PC.
struct Location {
  std::string function;       ///< Demangled, ready to show
  std::string raw_name;       ///< As in the symbol table; empty for kFde and kNone
  std::string clone = {};     ///< ".cold", ".isra.0", ...: what raw_name adds (clone_suffix.h)
  std::uint32_t aliases = 0;  ///< Other names of the same address: "memmove (+2 aliases)"
  NameSource source = NameSource::kNone;
  std::uint64_t function_vaddr =
      0;             ///< Start of the function in the file's own addresses: groups rows
  std::string file;  ///< As the line table spells it (directory joined when known); may be empty
  std::uint32_t line = 0;   ///< 0: unknown
  std::uint64_t vaddr = 0;  ///< The PC in the file's own addresses; of anonymous code, the address
  /// What was inlined here, innermost first: file:line is in the first of them, and the last was
  /// called from `function`. Empty: nothing was, or ModuleRequest::detail is less than kInlines.
  std::vector<InlineFrame> inlined = {};
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

struct ModuleAnswer {
  std::vector<Location> locations;  ///< One per offset, same order
  bool has_symbols = false;         ///< A .symtab (own or in a debug file), or debug information
  bool has_lines = false;
  std::string problem;     ///< Empty, or a line for the verdict: "file replaced since the run", ...
  std::string debug_file;  ///< Where symbols and lines came from when not from the file itself
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

/// Resolves one module. Never throws on bad files: the worst answer is kNone
/// with a problem said. Threads: safe, no shared state.
ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options);

/// A name ready to show: C++ (Itanium), Rust (legacy and v0), others unchanged.
std::string Demangle(const std::string& mangled);

}  // namespace csink::symbolizer

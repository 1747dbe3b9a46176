#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// The answer for one PC.
struct Location {
  std::string function;  ///< Demangled, ready to show
  std::string raw_name;  ///< As in the symbol table; empty for kFde and kNone
  NameSource source = NameSource::kNone;
  std::uint64_t function_vaddr =
      0;             ///< Start of the function in the file's own addresses: groups rows
  std::string file;  ///< As the line table spells it (directory joined when known); may be empty
  std::uint32_t line = 0;  ///< 0: unknown
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
  std::vector<std::uint64_t> file_offsets;  ///< Sorted, unique. For anonymous regions: addresses
};

struct ModuleAnswer {
  std::vector<Location> locations;  ///< One per offset, same order
  bool has_symbols = false;         ///< A .symtab (own or in a debug file), or debug information
  bool has_lines = false;
  std::string problem;     ///< Empty, or a line for the verdict: "file replaced since the run", ...
  std::string debug_file;  ///< Where symbols and lines came from when not from the file itself
};

struct Options {
  bool want_lines = true;
  /// Put before every path of a module and of debug files; tests use it.
  std::string root;
  /// Where JITs leave their maps (perf_map.h).
  std::string perf_maps = "/tmp";
};

/// Resolves one module. Never throws on bad files: the worst answer is kNone
/// with a problem said. Threads: safe, no shared state.
ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options);

/// A name ready to show: C++ (Itanium), Rust (legacy and v0), others unchanged.
std::string Demangle(const std::string& mangled);

}  // namespace csink::symbolizer

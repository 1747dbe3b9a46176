#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: the symbolizer's answer for a module. Texts are ready to show; names as in the file are
/// kept beside them, for formats that want raw names and for merging clones.

namespace csink::symbolizer {

/// Where a name comes from, best source first. The cache stores the number: a change of the order
/// needs another cache::kFormatVersion.
enum class NameSource {
  kSymbol,   ///< .symtab or .dynsym; the PC is inside the symbol
  kPerfMap,  ///< A JIT's own map
  kPlt,      ///< A PLT stub: "rand@plt"
  kFde,      ///< Stripped code: bounds from the unwind entry, "[libfoo.so+0x15bf9]"
  kNone,     ///< Nothing is known: "[libfoo.so+0x15bf9]", which is the PC itself
};

/// A function that was inlined at a PC.
struct InlineFrame {
  std::string function;  ///< Demangled, ready to show
  std::string raw_name;  ///< Linkage name; empty where there is none
  /// Where the function was called from: a position in the next outer frame, or in
  /// Location::function for the last frame.
  std::string call_file;        ///< The file of the call in the next outer frame
  std::uint32_t call_line = 0;  ///< 0: unknown
};

/// The result for one PC.
struct Location {
  std::string function;  ///< Demangled, ready to show
  std::string raw_name;  ///< As in the symbol table; empty for kFde and kNone
  /// The suffix of raw_name that a compiler appended to a part or copy of a function (".cold",
  /// ".isra.0"; demangle/clone_suffix.h); empty: none. `function` shows it in the demangler's
  /// style.
  std::string clone = {};
  /// Number of other names for the address: "memmove (+2 aliases)".
  std::uint32_t aliases = 0;
  NameSource source = NameSource::kNone;
  /// Start of the function in the file's own addresses. Rows of one function have the same value,
  /// which groups them; for kNone it is the PC itself, or 0 in the kernel.
  std::uint64_t function_vaddr = 0;
  /// Source file as in the line table, joined with its directory if known; may be empty.
  std::string file;
  std::uint32_t line = 0;  ///< 0: unknown
  /// The PC in the file's own addresses; for anonymous code and the kernel the address in memory;
  /// the file offset if no segment contains it.
  std::uint64_t vaddr = 0;
  /// The functions inlined at the PC, innermost first. file:line is a position in the first of
  /// them; the last of them was called from `function`. Empty: nothing was inlined, or
  /// ModuleRequest::detail is less than kInlines.
  std::vector<InlineFrame> inlined = {};
};

/// The answer for one ModuleRequest (request.h).
struct ModuleAnswer {
  std::vector<Location> locations;  ///< One per offset, same order
  /// There is a .symtab (in the file or its debug file), or debug information. False: a stripped
  /// file, whose local functions have no names.
  bool has_symbols = false;
  /// A line table was found; single addresses may still have no line.
  bool has_lines = false;
  /// Empty, or a line for the report: "file replaced since the run", ... There may be names all the
  /// same.
  std::string problem;
  /// Path of the separate file with symbols and lines; empty: the file itself has them, or there is
  /// none.
  std::string debug_file;
  /// One for each of ModuleRequest::data_addresses, same order, "table" or "table+0x28" behind its
  /// start; empty: no variable has the address.
  std::vector<std::string> data_names = {};
  /// One for each of ModuleRequest::calls_from, same order: starts of functions, as
  /// Location::function_vaddr, sorted, with the exported function's own. Empty: not known.
  std::vector<std::vector<std::uint64_t>> called = {};
};

}  // namespace csink::symbolizer

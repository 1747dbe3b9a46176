#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: the symbolizer's answer for a module.

namespace csink::symbolizer {

/// Where a name comes from, best source first.
enum class NameSource {
  kSymbol,   ///< .symtab or .dynsym; the PC is inside the symbol
  kPerfMap,  ///< A JIT's own map
  kPlt,      ///< A PLT stub: "rand@plt"
  kFde,      ///< Stripped code: bounds from the unwind entry, "[libfoo.so+0x15bf9]"
  kNone,     ///< Nothing is known: "[libfoo.so+0x15bf9]", which is the PC itself
};

/// A function that was inlined at a PC.
struct InlineFrame {
  std::string function;         ///< Demangled, ready to show
  std::string raw_name;         ///< Linkage name; empty where there is none
  std::string call_file;        ///< The file of the call in the next outer frame
  std::uint32_t call_line = 0;  ///< 0: unknown
};

/// The result for one PC.
struct Location {
  std::string function;  ///< Demangled, ready to show
  std::string raw_name;  ///< As in the symbol table; empty for kFde and kNone
  std::string clone =
      {};  ///< ".cold", ".isra.0", ...: suffix that raw_name has and `function` lacks
  std::uint32_t aliases = 0;  ///< Number of other names for the address: "memmove (+2 aliases)"
  NameSource source = NameSource::kNone;
  std::uint64_t function_vaddr =
      0;             ///< Start of the function in the file's own addresses: groups rows
  std::string file;  ///< As in the line table, joined with its directory if known; may be empty
  std::uint32_t line = 0;   ///< 0: unknown
  std::uint64_t vaddr = 0;  ///< The PC in the file's own addresses; for anonymous code in memory
  /// The functions inlined at the PC, innermost first. file:line is a position in the first of
  /// them; the last of them was called from `function`. Empty: nothing was inlined, or
  /// ModuleRequest::detail is less than kInlines.
  std::vector<InlineFrame> inlined = {};
};

/// The answer for one ModuleRequest (request.h).
struct ModuleAnswer {
  std::vector<Location> locations;  ///< One per offset, same order
  bool has_symbols =
      false;  ///< There is a .symtab (in the file or its debug file), or debug information
  bool has_lines = false;
  std::string problem;     ///< Empty, or a line for the report: "file replaced since the run", ...
  std::string debug_file;  ///< The separate file with symbols and lines; empty: the file itself
};

}  // namespace csink::symbolizer

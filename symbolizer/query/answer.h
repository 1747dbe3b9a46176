#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// File: what the symbolizer answers for a module.

namespace csink::symbolizer {

/// How a name was found, best first.
enum class NameSource {
  kSymbol,   ///< .symtab or .dynsym, the PC inside the symbol
  kPerfMap,  ///< the JIT's own map
  kPlt,      ///< a PLT stub: "rand@plt"
  kFde,      ///< stripped code: the bounds of its unwind entry, "[libfoo.so+0x15bf9]"
  kNone,     ///< nothing known: "[libfoo.so+0x15bf9]", the PC alone
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

/// The answer for one ModuleRequest (request.h).
struct ModuleAnswer {
  std::vector<Location> locations;  ///< One per offset, same order
  bool has_symbols = false;         ///< A .symtab (own or in a debug file), or debug information
  bool has_lines = false;
  std::string problem;     ///< Empty, or a line for the verdict: "file replaced since the run", ...
  std::string debug_file;  ///< Where symbols and lines came from when not from the file itself
};

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>

#include "core/machine/process_memory.h"

namespace csink {

/// Offsets in objects of CPython, in bytes. The bytecode of a function is part of its code object
/// since 3.11.
/// Source: Include/cpython/code.h, unicodeobject.h and bytesobject.h of each version, compiled.
struct PythonLayout {
  std::uint16_t code;          ///< First instruction, in a code object (co_code_adaptive)
  std::uint16_t code_units;    ///< Number of instructions of 2 bytes (ob_size)
  std::uint16_t first_line;    ///< co_firstlineno
  std::uint16_t file;          ///< co_filename
  std::uint16_t name;          ///< co_qualname
  std::uint16_t lines;         ///< co_linetable
  std::uint16_t text_length;   ///< In a string: number of characters
  std::uint16_t text_state;    ///< Its kind, and whether it is ASCII
  std::uint16_t text_ascii;    ///< Characters of an ASCII string
  std::uint16_t text_compact;  ///< Characters of another one
  std::uint8_t kind_shift;     ///< Bits below the kind in the state; "compact" and "ascii" follow
  std::uint16_t bytes_length;  ///< In a bytes object
  std::uint16_t bytes_data;
};

/// One CPython interpreter in this process.
struct PythonInterpreter {
  std::uint32_t version;  ///< Py_Version: 0x030b02f0 is 3.11.2
  PythonLayout layout;
  // Addresses: types of objects, and the function that evaluates bytecode.
  std::uint64_t code_type;
  std::uint64_t text_type;
  std::uint64_t bytes_type;
  std::uint64_t eval;
};

/// Where the symbols of an interpreter are; 0: it has none of this name.
struct PythonSymbols {
  std::uint64_t version;  ///< Py_Version
  std::uint64_t runtime;  ///< _PyRuntime
  std::uint64_t code_type;
  std::uint64_t text_type;
  std::uint64_t bytes_type;
  std::uint64_t eval;
};
/// Their names, in this order.
inline constexpr const char* kPythonSymbolNames[] = {"Py_Version",   "_PyRuntime",
                                                     "PyCode_Type",  "PyUnicode_Type",
                                                     "PyBytes_Type", "_PyEval_EvalFrameDefault"};

/// Describes the interpreter in the memory of a process. False: its functions cannot be named: a
/// version or a processor that is not known, or a build without the global lock, whose threads have
/// their bytecode elsewhere. Threads: any. Signals: safe.
bool DescribePython(ProcessMemory& memory, const PythonSymbols& symbols,
                    PythonInterpreter& interpreter) noexcept;

/// The layout of a version (as Py_Version); nullptr: not known, or the bytecode is not in the code
/// object (3.10 and older). Threads: any. Signals: safe.
const PythonLayout* PythonLayoutOf(std::uint32_t version) noexcept;

}  // namespace csink

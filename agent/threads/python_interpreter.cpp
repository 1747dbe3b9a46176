#include "agent/threads/python_interpreter.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

// The version of the interpreter (3.11 and later export it), 0 where there is none: a weak
// reference costs less than a search, and an unsuccessful dlsym would allocate memory.
extern "C" __attribute__((weak, visibility("default"))) const unsigned long Py_Version;

namespace csink::agent {

bool FindPython(PythonInterpreter& interpreter) noexcept {
  if (&Py_Version == nullptr) return false;
  std::uint64_t addresses[std::size(kPythonSymbolNames)];
  static_assert(sizeof addresses == sizeof(PythonSymbols));
  for (std::size_t i = 0; i < std::size(addresses); ++i) {
    addresses[i] = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, kPythonSymbolNames[i]));
  }
  PythonSymbols symbols;
  std::memcpy(&symbols, addresses, sizeof symbols);
  ProcessMemory memory;
  return DescribePython(memory, symbols, interpreter);
}

}  // namespace csink::agent

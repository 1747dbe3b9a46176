#include "agent/threads/python_interpreter.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

// The version of the interpreter (3.11 and later export it), 0 where there is none: a weak
// reference costs less than a search, and an unsuccessful dlsym would allocate memory.
extern "C" __attribute__((weak, visibility("default"))) const unsigned long Py_Version;

namespace csink::agent {
namespace {

#if defined(__x86_64__)
constexpr bool kKnowsProcessor = true;
#else
constexpr bool kKnowsProcessor = false;
#endif

std::uint64_t AddressOf(const char* name) noexcept {
  return reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, name));
}

// A build without the global lock keeps the bytecode of each thread elsewhere. 3.13 and later say
// so behind the cookie and the version (_Py_DebugOffsets, Include/internal/pycore_debug_offsets.h).
bool IsFreeThreaded(std::uint64_t runtime, std::uint32_t version) noexcept {
  if (version < 0x030d0000) return false;
  struct {
    char cookie[8];
    std::uint64_t version;
    std::uint64_t free_threaded;
  } head;
  std::memcpy(&head, reinterpret_cast<const void*>(runtime), sizeof head);
  return std::memcmp(head.cookie, "xdebugpy", sizeof head.cookie) != 0 || head.free_threaded != 0;
}

}  // namespace

bool FindPython(PythonInterpreter& interpreter) noexcept {
  if (!kKnowsProcessor || &Py_Version == nullptr) return false;
  interpreter.version = static_cast<std::uint32_t>(Py_Version);
  const PythonLayout* layout = PythonLayoutOf(interpreter.version);
  if (!layout) return false;
  interpreter.layout = *layout;
  interpreter.code_type = AddressOf("PyCode_Type");
  interpreter.text_type = AddressOf("PyUnicode_Type");
  interpreter.bytes_type = AddressOf("PyBytes_Type");
  interpreter.eval = AddressOf("_PyEval_EvalFrameDefault");
  const std::uint64_t runtime = AddressOf("_PyRuntime");
  return interpreter.code_type != 0 && interpreter.text_type != 0 && interpreter.bytes_type != 0 &&
         interpreter.eval != 0 && runtime != 0 && !IsFreeThreaded(runtime, interpreter.version);
}

}  // namespace csink::agent

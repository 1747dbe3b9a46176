#include <cstring>

#include "profil/inside/python/interpreter.h"

namespace csink {
namespace {

constexpr PythonLayout k311 = {184, 16, 72, 112, 128, 136, 16, 32, 48, 72, 2, 16, 32};
constexpr PythonLayout k312 = {192, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};
constexpr PythonLayout k313 = {200, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};
constexpr PythonLayout k314 = {208, 16, 68, 112, 128, 136, 16, 32, 40, 56, 2, 16, 32};

#if defined(__x86_64__)
constexpr bool kKnowsProcessor = true;
#else
constexpr bool kKnowsProcessor = false;
#endif

// 3.13 and later say whether they have the lock, behind a cookie and the version (_Py_DebugOffsets,
// Include/internal/pycore_debug_offsets.h).
constexpr std::uint32_t kFirstWithOffsets = 0x030d0000;
struct DebugOffsets {
  char cookie[8];
  std::uint64_t version;
  std::uint64_t free_threaded;
};

}  // namespace

bool DescribePython(ProcessMemory& memory, const PythonSymbols& symbols,
                    PythonInterpreter& interpreter) noexcept {
  std::uint64_t version = 0;
  if (!kKnowsProcessor || symbols.version == 0 || symbols.runtime == 0 || symbols.code_type == 0 ||
      symbols.text_type == 0 || symbols.bytes_type == 0 || symbols.eval == 0 ||
      !memory.Read(symbols.version, version)) {
    return false;
  }
  interpreter.version = static_cast<std::uint32_t>(version);
  const PythonLayout* layout = PythonLayoutOf(interpreter.version);
  if (!layout) return false;
  interpreter.layout = *layout;
  interpreter.code_type = symbols.code_type;
  interpreter.text_type = symbols.text_type;
  interpreter.bytes_type = symbols.bytes_type;
  interpreter.eval = symbols.eval;
  if (interpreter.version < kFirstWithOffsets) return true;
  DebugOffsets offsets;
  return memory.Read(symbols.runtime, offsets) &&
         std::memcmp(offsets.cookie, "xdebugpy", sizeof offsets.cookie) == 0 &&
         offsets.free_threaded == 0;
}

const PythonLayout* PythonLayoutOf(std::uint32_t version) noexcept {
  switch (version >> 16) {
    case 0x030b:
      return &k311;
    case 0x030c:
      return &k312;
    case 0x030d:
      return &k313;
    case 0x030e:
      return &k314;
    default:
      return nullptr;
  }
}

}  // namespace csink

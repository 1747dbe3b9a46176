#include <cstdlib>
#include <string>

#include "symbolizer/names/demangle/demangle.h"
#include "symbolizer/names/demangle/languages.h"

/// File: any text as a mangled name, in each scheme.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* prefix : {"", "_Z", "_ZN", "_R", "_RNv", "_RMC0"}) {
    const std::string name = prefix + text;
    const std::string out = csink::symbolizer::Demangle(name);
    if (out != name && out.size() > csink::symbolizer::kMaxDemangledBytes) std::abort();
  }
  // Haskell's names are known by their end.
  for (const char* prefix : {"", "base_", "base_GHCziBase_", "Main_z"}) {
    const std::string name = prefix + text + "_info";
    const std::string out = csink::symbolizer::Demangle(name);
    if (out != name && out.size() > csink::symbolizer::kMaxDemangledBytes) std::abort();
  }
  return 0;
}

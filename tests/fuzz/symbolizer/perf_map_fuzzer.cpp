#include <cstdlib>
#include <string_view>

#include "symbolizer/names/jit/perf_map.h"

/// File: any bytes as a JIT's map. Names come from the text, are bounded and printable,
/// and their functions begin at or before the PC.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::uint64_t> pcs;
  for (std::uint64_t pc = 0; pc < 0x1000; pc += 37) pcs.push_back(pc);
  pcs.push_back(~std::uint64_t{0});
  const auto names = csink::symbolizer::NamesFromPerfMap(text, pcs);
  if (names.size() != pcs.size()) std::abort();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name.empty()) continue;
    if (names[i].name.size() > csink::symbolizer::kMaxPerfMapName) std::abort();
    if (names[i].start > pcs[i]) std::abort();
    for (const char c : names[i].name) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
    }
  }
  return 0;
}

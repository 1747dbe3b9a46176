#include <cstdlib>
#include <cstring>

#include "symbolizer/names/jit/dump.h"
#include "symbolizer/names/jit/perf_map.h"

/// File: any bytes as a jitdump file. Names are bounded and printable, and functions hold their
/// PCs.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace csink::symbolizer;
  Buffer copy(size);
  if (size != 0) std::memcpy(copy.data(), data, size);
  const auto dump = JitDump::Read(ObjectBytes::FromMemory(std::move(copy)));
  if (!dump) return 0;
  std::vector<std::uint64_t> pcs;
  for (std::uint64_t pc = 0; pc < 0x4000; pc += 37) pcs.push_back(pc);
  pcs.push_back(~std::uint64_t{0});
  const auto matches = dump->Find(pcs);
  if (matches.size() != pcs.size()) std::abort();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const JitMatch& match = matches[i];
    if (match.bytes == 0) continue;
    if (match.start > pcs[i] || pcs[i] - match.start >= match.bytes) std::abort();
    if (match.name.size() > kMaxPerfMapName || match.file.size() > kMaxPerfMapName) std::abort();
    for (const char c : match.name + match.file) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
    }
  }
  return 0;
}

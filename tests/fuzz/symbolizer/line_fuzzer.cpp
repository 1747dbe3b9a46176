#include <cstdlib>
#include <vector>

#include "symbolizer/line_table.h"

/// File: any bytes as .debug_line and .debug_line_str.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using csink::symbolizer::Bytes;
  std::vector<std::uint64_t> vaddrs;
  for (std::uint64_t v = 0; v < 0x4000; v += 61) vaddrs.push_back(v);
  vaddrs.push_back(~std::uint64_t{0});
  const Bytes bytes(data, size);
  const auto hits = csink::symbolizer::MatchLines({bytes, bytes, bytes}, vaddrs);
  if (hits.size() != vaddrs.size()) std::abort();
  return 0;
}

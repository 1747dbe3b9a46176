#include <algorithm>
#include <cstdlib>
#include <vector>

#include "symbolizer/names/dwarf/unit.h"
#include "symbolizer/names/inlines/inlines.h"

/// File: any bytes as the sections that the DIE reader reads. The input begins with the lengths of
/// .debug_info, .debug_abbrev, .debug_ranges (also .debug_rnglists) and .debug_addr, two bytes
/// each; the rest is .debug_line, and all kinds of strings.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using csink::symbolizer::ByteReader;
  using csink::symbolizer::Bytes;
  std::vector<std::uint64_t> vaddrs;
  for (std::uint64_t v = 0x1000; v < 0x2000; v += 61) vaddrs.push_back(v);
  vaddrs.push_back(~std::uint64_t{0});
  ByteReader reader(Bytes(data, size));
  std::size_t lengths[4];
  for (std::size_t& length : lengths) length = reader.U16();
  Bytes parts[4];
  for (int i = 0; i < 4; ++i) parts[i] = reader.Take(std::min(lengths[i], reader.left()));
  const Bytes rest = reader.Take(reader.left());
  const csink::symbolizer::dwarf::SectionBytes sections{.info = parts[0],
                                                        .abbrev = parts[1],
                                                        .str = rest,
                                                        .line_str = rest,
                                                        .str_offsets = parts[3],
                                                        .addr = parts[3],
                                                        .ranges = parts[2],
                                                        .rnglists = parts[2],
                                                        .line = rest};
  const auto answers = csink::symbolizer::FindInlines(sections, vaddrs);
  if (answers.size() != vaddrs.size()) std::abort();
  return 0;
}

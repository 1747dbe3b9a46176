#include <cstdlib>
#include <vector>

#include "symbolizer/names/lines/runner.h"
#include "symbolizer/names/lines/scan.h"
#include "symbolizer/names/lines/table.h"

/// File: any bytes as .debug_line and .debug_line_str. And a sequence that LineScan says lies
/// elsewhere must not have a row for an address.

namespace {

using namespace csink::symbolizer;

void CompareScanWithRun(Bytes bytes, const std::vector<std::uint64_t>& vaddrs) {
  ByteReader section(bytes);
  while (!section.AtEnd()) {
    LineHeader header;
    if (!header.Read(section)) continue;
    LineScan scan(header);
    LineSequence sequence;
    std::size_t seen = 0;
    std::vector<LineFileEntry> defined;
    LineRunner runner(vaddrs);
    while (scan.Next(sequence)) {
      seen += sequence.program.size();
      if (sequence.is_open || runner.Wants(sequence.low, sequence.high)) continue;
      if (runner.Run(header, sequence.program, 1, defined) || !defined.empty()) std::abort();
    }
    if (seen != header.program.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> vaddrs;
  for (std::uint64_t v = 0; v < 0x4000; v += 61) vaddrs.push_back(v);
  vaddrs.push_back(~std::uint64_t{0});
  const Bytes bytes(data, size);
  const auto hits = MatchLines({bytes, bytes, bytes}, vaddrs);
  if (hits.size() != vaddrs.size()) std::abort();
  CompareScanWithRun(bytes, {0x10, 0x1000, 0x2000, ~std::uint64_t{0}});
  return 0;
}

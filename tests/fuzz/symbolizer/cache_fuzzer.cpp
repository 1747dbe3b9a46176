#include <libdeflate.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "symbolizer/names/cache/entry.h"

/// File: any bytes as a file of the cache of names, with a checksum that fits: who writes one on
/// purpose writes that, too. What is taken is in order, named and bounded, and writes itself
/// down again as the same.

namespace {

using csink::symbolizer::Bytes;
using csink::symbolizer::cache::Decode;
using csink::symbolizer::cache::Entry;

constexpr std::size_t kHeaderBytes = 24;

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void Check(const Entry& entry) {
  if (entry.offsets.size() != entry.locations.size()) std::abort();
  for (std::size_t i = 0; i < entry.offsets.size(); ++i) {
    if (i != 0 && entry.offsets[i] <= entry.offsets[i - 1]) std::abort();
    if (entry.locations[i].function.empty()) std::abort();
    if (entry.locations[i].inlined.size() > csink::symbolizer::cache::kMaxFrames) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= kHeaderBytes) {
    const std::uint32_t crc = libdeflate_crc32(0, bytes.data() + kHeaderBytes, size - kHeaderBytes);
    const std::uint64_t rest = size - kHeaderBytes;
    std::memcpy(bytes.data() + 12, &crc, sizeof crc);
    std::memcpy(bytes.data() + 16, &rest, sizeof rest);
  }
  const auto all = Decode(AsBytes(bytes), "k", nullptr);
  const std::vector<std::uint64_t> wanted = {0, 1, 16, 0x1000};
  const auto some = Decode(AsBytes(bytes), "k", &wanted);
  if (some) Check(*some);
  if (!all) return 0;
  Check(*all);
  const std::string again = csink::symbolizer::cache::Encode(*all);
  if (again.empty()) return 0;
  const auto back = Decode(AsBytes(again), "k", nullptr);
  if (!back || csink::symbolizer::cache::Encode(*back) != again) std::abort();
  return 0;
}

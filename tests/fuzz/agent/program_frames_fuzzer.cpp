#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "agent/attach/program_frames.h"

/// Any bytes as a section .eh_frame: the entries are sorted and lie in the section.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kAddress = 0x400000;
  const auto entries = csink::attach::ListFrameEntries(data, size, kAddress);
  const auto by_code = [](const auto& a, const auto& b) { return a.code < b.code; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_code)) std::abort();
  for (const auto& entry : entries) {
    if (entry.entry < kAddress || entry.entry - kAddress >= size) std::abort();
  }
  return 0;
}

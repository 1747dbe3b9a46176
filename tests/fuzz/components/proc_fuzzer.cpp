/// File: any bytes as /proc/stat and /proc/meminfo: what comes out makes sense; and any values of a
/// counter: its extension never goes back.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/sensors/rapl_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto ticks = csink::ParseCpuTicks(text);
  if (ticks && (ticks->work >> 60) + (ticks->idle >> 60) != 0) __builtin_trap();
  const auto use = csink::ParseMemoryUse(text);
  if (use && (use->used > use->total || use->swap_used > use->swap_total)) __builtin_trap();

  std::uint64_t words[2] = {};
  if (size < sizeof words) return 0;
  std::memcpy(words, data, sizeof words);
  csink::DeviceCounter counter(
      {.range = words[0], .most_per_second = static_cast<double>(words[1] >> 32)});
  std::uint64_t before = 0, now_ns = 0;
  for (std::size_t at = sizeof words; at + 8 <= size; at += 8) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, data + at, sizeof raw);
    const auto taken = counter.Take(raw >> 8, now_ns += raw & 0xffff);
    if (!taken) continue;
    if (taken->total < before) __builtin_trap();
    before = taken->total;
  }
  return 0;
}

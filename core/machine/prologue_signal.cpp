#include <cstring>

#include "core/machine/prologue.h"

namespace csink {

#if defined(__x86_64__)
std::int32_t ReserveOf(const unsigned char* code, std::size_t bytes) noexcept {
  // Intel, "Software Developer's Manual", volume 2: REX.W 89 /r (mov), REX.W 83 /5 ib and
  // REX.W 81 /5 id (sub).
  static constexpr unsigned char kSetFrame[] = {0x48, 0x89, 0xe5};
  constexpr std::int32_t kMost = 1 << 20;
  std::size_t at = 0;
  while (at + sizeof kSetFrame <= bytes &&
         std::memcmp(code + at, kSetFrame, sizeof kSetFrame) != 0) {
    ++at;
  }
  if (at + sizeof kSetFrame > bytes) return -1;
  for (at += sizeof kSetFrame; at + 4 <= bytes; ++at) {
    if (code[at] != 0x48 || code[at + 2] != 0xec) continue;
    std::int32_t reserved = 0;
    if (code[at + 1] == 0x83) {
      reserved = static_cast<signed char>(code[at + 3]);
    } else if (code[at + 1] == 0x81 && at + 7 <= bytes) {
      std::memcpy(&reserved, code + at + 3, sizeof reserved);
    } else {
      continue;
    }
    return reserved >= 0 && reserved < kMost && reserved % 8 == 0 ? reserved : -1;
  }
  return 0;
}
#else
std::int32_t ReserveOf(const unsigned char*, std::size_t) noexcept { return -1; }
#endif

}  // namespace csink

#include <cstdint>

uint32_t Fold(uint32_t a, uint32_t b) {
  a ^= b;
  return (a << 5) - (a >> 3);
}

#include <cstddef>

extern "C" unsigned PackBlock(const unsigned char* p, size_t n, unsigned char* out) {
  unsigned short head[1024] = {0};
  unsigned o = 0;
#ifdef SLOWER
  unsigned crc = ~0u;
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    for (int k = 0; k < 4; k++) crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
  }
  out[o++] = (unsigned char)crc;
#endif
  for (size_t i = 0; i + 4 < n; i++) {
    unsigned h = (p[i] * 2654435761u ^ p[i + 1] * 40503u ^ p[i + 2] * 97u) & 1023;
    unsigned q = head[h];
    head[h] = (unsigned short)i;
    unsigned len = 0;
    while (q < i && len < 16 && i + len < n && p[q + len] == p[i + len]) len++;
    if (len > 3) {
      out[o++] = (unsigned char)len;
      i += len;
    } else
      out[o++] = p[i];
  }
  return o;
}
#ifdef REBUILT
extern "C" int PackVersion() { return 2; }
#endif

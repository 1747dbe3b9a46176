#include <cstddef>

/// File: the C library's functions on bytes, for libagent.so alone (hidden symbols).
///
/// The functions that the program uses must not be called: sanitizers interpose them and would
/// report the agent's reads and writes, which are guarded by locks that the sanitizer does not see,
/// as races of the program; allocators and other profilers may count calls. This file is compiled
/// without the builtins that would turn the loops into calls of the functions defined here.
/// Signals: safe.

extern "C" {

#define CSINK_HIDDEN __attribute__((visibility("hidden")))

CSINK_HIDDEN void* memcpy(void* to, const void* from, std::size_t bytes);
CSINK_HIDDEN void* memmove(void* to, const void* from, std::size_t bytes);
CSINK_HIDDEN void* memset(void* to, int value, std::size_t bytes);
CSINK_HIDDEN int memcmp(const void* a, const void* b, std::size_t bytes);
CSINK_HIDDEN int bcmp(const void* a, const void* b, std::size_t bytes);
CSINK_HIDDEN std::size_t strlen(const char* text);
CSINK_HIDDEN int strncmp(const char* a, const char* b, std::size_t bytes);

void* memcpy(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
#if defined(__x86_64__)
  __asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(bytes) : : "memory");
#else
  while (bytes-- != 0) *out++ = *in++;
#endif
  return to;
}

void* memmove(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  if (out <= in || out >= in + bytes) return memcpy(to, from, bytes);
  while (bytes-- != 0) out[bytes] = in[bytes];
  return to;
}

void* memset(void* to, int value, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
#if defined(__x86_64__)
  __asm__ volatile("rep stosb" : "+D"(out), "+c"(bytes) : "a"(value) : "memory");
#else
  while (bytes-- != 0) *out++ = static_cast<unsigned char>(value);
#endif
  return to;
}

int memcmp(const void* a, const void* b, std::size_t bytes) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (x[i] != y[i]) return x[i] - y[i];
  }
  return 0;
}

// What clang makes of a memcmp that is only compared with 0.
int bcmp(const void* a, const void* b, std::size_t bytes) { return memcmp(a, b, bytes); }

std::size_t strlen(const char* text) {
  std::size_t bytes = 0;
  while (text[bytes] != 0) ++bytes;
  return bytes;
}

int strncmp(const char* a, const char* b, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const int difference = static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
    if (difference != 0 || a[i] == 0) return difference;
  }
  return 0;
}

}  // extern "C"

#include "agent/waiting/own_glibc.h"

#include <pthread.h>
#include <time.h>

#include <cstring>

#include "agent/waiting/glibc_release.h"

/// File: makes a condition variable and looks where the library has written what. The number of
/// the release alone does not tell: the new layout of 2.41 was also given to updates of older
/// releases.

// Other C libraries do not have the first one. Before glibc 2.34 the others are in libpthread,
// which a program may lack.
extern "C" {
__attribute__((weak)) const char* gnu_get_libc_version();
__attribute__((weak)) decltype(pthread_condattr_init) pthread_condattr_init;
__attribute__((weak)) decltype(pthread_condattr_setclock) pthread_condattr_setclock;
__attribute__((weak)) decltype(pthread_cond_init) pthread_cond_init;
}

namespace csink::agent {

std::uint32_t OwnGlibc() noexcept {
  // By value: the compiler takes the address of a declared function for non-zero otherwise.
  const auto version = &gnu_get_libc_version;
  const auto init_attributes = &pthread_condattr_init;
  const auto set_clock = &pthread_condattr_setclock;
  const auto init = &pthread_cond_init;
  if (version == nullptr || init_attributes == nullptr || set_clock == nullptr || init == nullptr) {
    return 0;
  }
  pthread_condattr_t attributes;
  pthread_cond_t condition;
  std::memset(&condition, 0, sizeof condition);
  if (init_attributes(&attributes) != 0 || set_clock(&attributes, CLOCK_MONOTONIC) != 0 ||
      init(&condition, &attributes) != 0) {
    return 0;
  }
  std::uint32_t words[kConditionWords];
  static_assert(sizeof words <= sizeof condition);
  std::memcpy(words, &condition, sizeof words);
  return GlibcByLayout(GlibcRelease(version()), words);
}

}  // namespace csink::agent

#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "compat/papi/include/papi.h"

namespace csink::testing {

/// One libpapi, opened by its path, so that ours and Debian's can be asked in one process.
struct LoadedPapi {
  void* library = nullptr;

  explicit LoadedPapi(const char* path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}

  template <class F>
  F* Find(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library, name));
  }
};

/// papi.FUNCTION as a call: PAPI_CALL(ours, PAPI_get_real_nsec)().
#define PAPI_CALL(papi, name) ((papi).Find<decltype(name)>(#name))

/// The library of this build (OUR_PAPI), initialised.
inline const LoadedPapi& Ours() {
  static const LoadedPapi papi(OUR_PAPI);
  static const bool ready = [] {
    if (!papi.library) return false;
    const auto init = PAPI_CALL(papi, PAPI_library_init);
    return !init || init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
  }();
  EXPECT_TRUE(ready) << dlerror();
  return papi;
}

}  // namespace csink::testing

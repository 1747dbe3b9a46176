#include "core/counting/components/vendor/vendor_library.h"

#include <dlfcn.h>

namespace csink {

VendorLibrary::VendorLibrary(std::initializer_list<const char*> names) noexcept {
  for (const char* name : names) {
    // RTLD_NOW: a library that lacks symbols must fail here and not in a later call.
    if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
}

void* VendorLibrary::Symbol(const char* name) const noexcept {
  // Without a handle dlsym would search the whole program.
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace csink

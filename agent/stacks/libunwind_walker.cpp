#include "agent/stacks/libunwind_walker.h"

#include <dlfcn.h>

#include <cstring>

#include "core/util/text.h"

namespace csink::agent {

bool LibunwindWalker::Load(const char*& why) noexcept {
  static const char here = 0;
  Dl_info own = {};
  if (!dladdr(&here, &own) || !own.dli_fname) {
    why = "the folder of libagent.so is not known";
    return false;
  }
  Text<1024> path;
  const char* slash = std::strrchr(own.dli_fname, '/');
  if (slash) path.Add({own.dli_fname, static_cast<std::size_t>(slash + 1 - own.dli_fname)});
  path.Add(CSINK_UNWIND_LIBRARY);
  // RTLD_LOCAL: a program with a libunwind of its own keeps that one.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why = dlerror();
    return false;
  }
  auto* start = reinterpret_cast<CsinkUnwindStart*>(dlsym(library, CSINK_UNWIND_START));
  auto* walk = reinterpret_cast<CsinkUnwindWalk*>(dlsym(library, CSINK_UNWIND_WALK));
  if (!start || !walk || !start()) {
    why = "its version does not match libagent.so";
    return false;
  }
  walk_ = walk;
  return true;
}

}  // namespace csink::agent

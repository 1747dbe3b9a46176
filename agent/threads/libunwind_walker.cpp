#include "agent/threads/libunwind_walker.h"

#include <dlfcn.h>

#include "core/machine/child.h"
#include "core/machine/installed_program.h"
#include "core/machine/own_files.h"
#include "core/util/text.h"

namespace csink::agent {
namespace {

/// The call of csink_unwind_start, and its result.
struct Start {
  CsinkUnwindStart* function;
  int result;
};

/// libunwind opens a pipe for good when it starts, and checks addresses with it where it reads
/// memory itself, which it does not do here (agent/unwind). On a thread with a table of descriptors
/// of its own, the pipe takes no number of the program and is closed with the thread. libunwind
/// calls sigprocmask, a mutex and pipe there; the caller, whose thread-local variables the thread
/// shares, waits.
int StartWithOwnFiles(CsinkUnwindStart* function) noexcept {
  alignas(64) static unsigned char stack[kChildStackBytes];
  Start start = {function, 0};
  const auto run = [](void* arg) {
    auto& start = *static_cast<Start*>(arg);
    start.result = start.function();
  };
  return RunWithOwnFiles(run, &start, stack) ? start.result : function();
}

}  // namespace

bool LibunwindWalker::Load(const char*& why) noexcept {
  static const char here = 0;
  Dl_info own = {};
  if (!dladdr(&here, &own) || !own.dli_fname) {
    why = "the folder of libagent.so is not known";
    return false;
  }
  Text<1024> path;
  path.Add(FolderOf(own.dli_fname)).Add(CSINK_UNWIND_LIBRARY);
  // RTLD_LOCAL: a program with a libunwind of its own keeps that one.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why = dlerror();
    return false;
  }
  auto* start = reinterpret_cast<CsinkUnwindStart*>(dlsym(library, CSINK_UNWIND_START));
  auto* walk = reinterpret_cast<CsinkUnwindWalk*>(dlsym(library, CSINK_UNWIND_WALK));
  if (!start || !walk || !StartWithOwnFiles(start)) {
    why = "its version does not match libagent.so";
    return false;
  }
  walk_ = walk;
  return true;
}

}  // namespace csink::agent

#include "agent/process/may_start.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include "agent/settings/complain.h"
#include "core/util/text.h"

extern "C" {
// Exported, so that the dynamic linker resolves it to the first library that has it.
__attribute__((visibility("default"))) int csink_agent_identity = 1;
// The same variable under a name that no other library can take over.
extern __attribute__((visibility("hidden"), alias("csink_agent_identity"))) int csink_own_identity;
}

namespace csink::agent {
namespace {

const char* FileOf(const void* address) noexcept {
  Dl_info info = {};
  return dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "?";
}

}  // namespace

bool IsSecureExecution() noexcept { return getauxval(AT_SECURE) != 0; }

bool IsTheFirstAgent() noexcept {
  // The compiler may assume that both names are one object, but the linker may bind the exported
  // name to another library. volatile prevents that the comparison is optimised away.
  int* volatile first = &csink_agent_identity;
  int* volatile own = &csink_own_identity;
  if (first == own) return true;
  Text<1000> line;
  line.Add("a second libagent.so is loaded and stays inactive, ").Add(FileOf(own));
  line.Add(": remove it from LD_PRELOAD; the active libagent.so is ").Add(FileOf(first));
  Complain(line.view());
  return false;
}

}  // namespace csink::agent

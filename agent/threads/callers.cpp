#include "agent/threads/callers.h"

#include <dlfcn.h>

#include "agent/settings/complain.h"
#include "agent/threads/context_bottom.h"
#include "agent/threads/libunwind_walker.h"
#include "agent/threads/python_interpreter.h"
#include "core/util/text.h"

/// File: what the walk of a chain needs from the start: memory for chains, the address where a
/// chain is complete, libunwind where it is asked for, and events that copy enough of the stack.

namespace csink::agent {
namespace {

// Return addresses within these bytes before and after __libc_start_main are taken for the caller
// of main, where a chain is complete. glibc 2.34 and later call main from a function of their own
// directly before __libc_start_main, older ones from __libc_start_main itself. Neither function is
// longer than this.
constexpr std::uint64_t kBeforeStartMain = 512;
constexpr std::uint64_t kStartMainBytes = 1024;

constinit LibunwindWalker g_walker;

// Loads libagent-unwind.so for CSINK_STACKS=unwind. A failure costs depth, not samples: chains end
// at the first frame whose rule profil/inside/chains does not handle.
void LoadWalker(CallerChains& chains) noexcept {
  const char* why = "";
  if (g_walker.Load(why)) {
    chains.set_far_walk(&g_walker);
    return;
  }
  Text<512> line;
  line.Add("libagent-unwind.so cannot be used (")
      .Add(why)
      .Add(
          "); the agent's own unwinder is used, and call chains with unusual unwind rules are cut");
  Complain(line.view());
}

}  // namespace

void StartCallers(const Config& config, Collector& collector, RingSource& rings) noexcept {
  PythonInterpreter interpreter;
  PythonFrames* python = nullptr;
  if (config.python != PythonNames::kOff && config.source != SourceChoice::kTimer &&
      FindPython(interpreter)) {
    python = PythonFrames::Map(interpreter);
  }
  // Blocked threads have callers also where samples have none.
  if (config.stacks == Stacks::kOff && !config.wait && !python) return;
  CallerChains* chains = CallerChains::Map();
  if (!chains) {
    Complain("not enough memory to record callers; samples and waits have no callers");
    return;
  }
  const auto start = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "__libc_start_main"));
  if (start != 0) chains->facts().SetMainRoot(start - kBeforeStartMain, start + kStartMainBytes);
  chains->facts().SetContextRoot(BottomOfContexts());
  if (config.stacks == Stacks::kUnwind) {
    chains->set_way(spool::ChainWay::kUnwind);
  } else if (config.stacks == Stacks::kFp || !python) {
    chains->set_way(spool::ChainWay::kFramePointers);
  }
  if (config.stacks == Stacks::kUnwind) LoadWalker(*chains);
  collector.set_chains(chains);
  if (python) {
    collector.set_python(python);
    rings.set_stack_bytes(config.stacks == Stacks::kUnwind ? kLongStackBytes : kPythonStackBytes);
    return;
  }
  if (config.stacks == Stacks::kOff) return;
  // With frame pointers the walk needs only the innermost frame's rule from the copied stack;
  // otherwise the copy limits the depth, so it is long.
  rings.set_stack_bytes(config.stacks == Stacks::kFp ? kShortStackBytes : kLongStackBytes);
}

void CallersAfterFork() noexcept { g_walker.ProcessForked(); }

}  // namespace csink::agent

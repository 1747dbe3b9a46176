#include <dlfcn.h>

#include "agent/agent.h"
#include "agent/settings/complain.h"
#include "agent/stacks/libunwind_walker.h"
#include "core/util/raw_log.h"

/// File: recording callers (CSINK_STACKS).

namespace csink::agent {
namespace {

// The C library calls main from a function of its own right before __libc_start_main, or (before
// 2.34) from that itself. Neither is longer than this.
constexpr std::uint64_t kBeforeStartMain = 512;
constexpr std::uint64_t kStartMainBytes = 1024;

constinit LibunwindWalker g_walker;

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

void Agent::StartStacks() noexcept {
  if (config_.stacks == Stacks::kOff) return;
  CallerChains* chains = CallerChains::Map();
  if (!chains) {
    Complain("not enough memory to record callers; samples have no callers");
    return;
  }
  const auto start = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "__libc_start_main"));
  if (start != 0) chains->facts().SetMainRoot(start - kBeforeStartMain, start + kStartMainBytes);
  if (config_.stacks == Stacks::kUnwind) LoadWalker(*chains);
  collector_.set_chains(chains);
  rings_.set_stack_bytes(config_.stacks == Stacks::kFp ? kShortStackBytes : kLongStackBytes);
}

void Agent::StacksAfterFork() noexcept { g_walker.ProcessForked(); }

void Agent::NoteThreadRoot(const void* return_address) noexcept {
  if (CallerChains* chains = collector_.chains()) {
    chains->facts().AddThreadRoot(reinterpret_cast<std::uint64_t>(return_address));
  }
}

}  // namespace csink::agent

#include <new>

#include "agent/agent.h"
#include "agent/process/may_start.h"
#include "agent/settings/complain.h"

/// File: libagent.so's constructor and destructor, and the static storage of the agent. Unit tests
/// leave this file out and make agents of their own.

namespace csink::agent {
namespace {

// All zero until used: 1 MiB and 160 KiB of .bss that cost nothing.
constinit ThreadRegistry g_registry;
constinit RegionIndex g_regions;
alignas(Agent) unsigned char g_agent_storage[sizeof(Agent)];

// The library's constructor: the first code of ours that runs.
__attribute__((constructor)) void StartAgent(int argument_count, char** arguments,
                                             char** environment) {
  if (!IsEnabled(environment) || IsSecureExecution() || !IsTheFirstAgent()) return;
  auto* agent = new (g_agent_storage) Agent(RealKernel(), g_registry, g_regions);
  agent->Start(argument_count, arguments, environment);
}

// Runs after the program's own exit handlers and destructors.
__attribute__((destructor)) void StopAgent() {
  if (Agent* agent = TheAgent()) agent->Finish(spool::End::kExit, 0);
}

}  // namespace

}  // namespace csink::agent

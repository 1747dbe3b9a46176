#include "agent/agent.h"

/// File: the pointer through which the hooks find the agent. The hooks and this file are built
/// without a sanitizer, because a sanitizer's run-time calls the hooks before it can be used
/// itself.

namespace csink::agent {
namespace {

// Set once by Publish and never reset: hooks may run until the last instruction of the process.
std::atomic<Agent*> g_agent{nullptr};

}  // namespace

Agent* TheAgent() noexcept { return g_agent.load(std::memory_order_acquire); }
void Agent::Publish() noexcept { g_agent.store(this, std::memory_order_release); }

}  // namespace csink::agent

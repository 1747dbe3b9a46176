#include "agent/agent.h"

/// File: the way from a hook to the agent. The hooks and this file are built without a sanitizer:
/// a sanitizer's run-time calls the hooks before it can be used itself.

namespace csink::agent {
namespace {

std::atomic<Agent*> g_agent{nullptr};

}  // namespace

Agent* TheAgent() noexcept { return g_agent.load(std::memory_order_acquire); }
void Agent::Publish() noexcept { g_agent.store(this, std::memory_order_release); }

}  // namespace csink::agent

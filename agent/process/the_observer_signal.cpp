#include <atomic>

#include "agent/process/program_observer.h"

/// File: the pointer through which the hooks find the agent. The hooks and this file are built
/// without a sanitizer, because a sanitizer's run-time calls the hooks before it can be used
/// itself.

namespace csink::agent {
namespace {

std::atomic<ProgramObserver*> g_observer{nullptr};

}  // namespace

ProgramObserver* TheObserver() noexcept { return g_observer.load(std::memory_order_acquire); }

void PublishObserver(ProgramObserver* observer) noexcept {
  g_observer.store(observer, std::memory_order_release);
}

}  // namespace csink::agent

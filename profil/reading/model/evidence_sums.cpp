#include "profil/reading/model/evidence_sums.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

/// File: sums and differences of what processes recorded.

namespace csink {
namespace {

// Numbers of 32 bits saturate, too.
void AddTo32(std::uint32_t& sum, std::uint32_t more) noexcept {
  sum = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(0xffffffffu, std::uint64_t{sum} + std::uint64_t{more}));
}

void TakeOff32(std::uint32_t& now, std::uint32_t before) noexcept {
  now = now > before ? now - before : 0;
}

}  // namespace

void AddTo(spool::Evidence& sum, const spool::Evidence& more) noexcept {
  AddTo(sum.start_agent_ns, more.start_agent_ns);
  AddTo(sum.agent_thread_ns, more.agent_thread_ns);
  sum.interrupt_ns = std::max(sum.interrupt_ns, more.interrupt_ns);
  if (more.sandbox_monotonic_ns != 0) sum.sandbox_monotonic_ns = more.sandbox_monotonic_ns;
  AddTo(sum.sandbox_user_ns, more.sandbox_user_ns);
  AddTo(sum.sandbox_system_ns, more.sandbox_system_ns);
  AddTo(sum.sandbox_sampled_ns, more.sandbox_sampled_ns);
  AddTo32(sum.vfork_children, more.vfork_children);
  AddTo32(sum.spawned_children, more.spawned_children);
  AddTo(sum.vfork_child_ns, more.vfork_child_ns);
  AddTo(sum.vfork_ended_ns, more.vfork_ended_ns);
  AddTo(sum.spawned_child_ns, more.spawned_child_ns);
  AddTo32(sum.late_threads, more.late_threads);
  AddTo32(sum.lost_mappings, more.lost_mappings);
  AddTo(sum.late_thread_ns, more.late_thread_ns);
  AddTo32(sum.growth_refusals, more.growth_refusals);
  if (more.growth_errno != 0) {
    sum.growth_errno = more.growth_errno;
    sum.growth_limit = more.growth_limit;
  }
}

void TakeOff(spool::Evidence& now, const spool::Evidence& before) noexcept {
  const auto take = [](std::uint64_t& value, std::uint64_t old) {
    value = SaturatingSubtract(value, old);
  };
  // The interval has no start of the agent.
  take(now.start_agent_ns, before.start_agent_ns);
  take(now.agent_thread_ns, before.agent_thread_ns);
  take(now.sandbox_sampled_ns, before.sandbox_sampled_ns);
  TakeOff32(now.vfork_children, before.vfork_children);
  TakeOff32(now.spawned_children, before.spawned_children);
  take(now.vfork_child_ns, before.vfork_child_ns);
  take(now.vfork_ended_ns, before.vfork_ended_ns);
  take(now.spawned_child_ns, before.spawned_child_ns);
  TakeOff32(now.late_threads, before.late_threads);
  TakeOff32(now.lost_mappings, before.lost_mappings);
  take(now.late_thread_ns, before.late_thread_ns);
  TakeOff32(now.growth_refusals, before.growth_refusals);
}

}  // namespace csink

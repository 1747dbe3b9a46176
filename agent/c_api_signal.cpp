#include <errno.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/control/rank_calls.h"
#include "agent/critical/critical_hooks.h"

/// File: the C interface of agent/include/csink.h. Each function exists under two names:
/// csink_agent_X, which the header looks up through the GOT, and csink_X, which programs in other
/// languages find by dlsym. The header defines csink_X itself as a static inline function, so it
/// cannot refer to the same name. All functions only forward to Controller, whose contract says
/// what is safe.

using csink::agent::Agent;
using csink::agent::Sampling;
using csink::agent::TheAgent;

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

CSINK_EXPORT void csink_agent_critical(csink::agent::CriticalHooks* hooks) noexcept {
  csink::agent::SetCriticalHooks(hooks);
}

CSINK_EXPORT int csink_agent_pause(void) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().Pause() : ENOSYS;
}

CSINK_EXPORT int csink_agent_resume(void) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().Resume() : ENOSYS;
}

CSINK_EXPORT int csink_agent_mark(const char* name) noexcept {
  Agent* agent = TheAgent();
  if (!agent) return ENOSYS;
  return name ? agent->control().Mark(name) : EINVAL;
}

CSINK_EXPORT int csink_agent_snapshot(const char* file) noexcept {
  Agent* agent = TheAgent();
  if (!agent) return ENOSYS;
  return agent->control().Snapshot(file ? std::string_view(file) : std::string_view());
}

CSINK_EXPORT int csink_agent_status(void) noexcept {
  Agent* agent = TheAgent();
  if (!agent) return -ENOSYS;
  // TheAgent is not nullptr once it was published, also after Finish.
  if (!agent->active()) return -ESHUTDOWN;
  return static_cast<int>(agent->control().sampling());  // numbered as the header has it
}

CSINK_EXPORT int csink_agent_rank_begin(void) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().BeginRank() : ENOSYS;
}

CSINK_EXPORT int csink_agent_rank_settle(std::uint32_t rank, char* path, std::size_t bytes,
                                         int copy) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().SettleRank(rank, path, bytes, copy) : ENOSYS;
}

CSINK_EXPORT int csink_agent_rank_merge(const int* profiles, std::size_t count,
                                        int output) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().MergeRanks(profiles, count, output) : ENOSYS;
}

CSINK_EXPORT int csink_agent_rank_delivered(void) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().DeliverRank() : ENOSYS;
}

CSINK_EXPORT int csink_agent_rank_report(void) noexcept {
  Agent* agent = TheAgent();
  return agent ? agent->control().ReportRanks() : ENOSYS;
}

CSINK_EXPORT int csink_pause(void) noexcept { return csink_agent_pause(); }
CSINK_EXPORT int csink_resume(void) noexcept { return csink_agent_resume(); }
CSINK_EXPORT int csink_mark(const char* name) noexcept { return csink_agent_mark(name); }
CSINK_EXPORT int csink_snapshot(const char* file) noexcept { return csink_agent_snapshot(file); }
CSINK_EXPORT int csink_status(void) noexcept { return csink_agent_status(); }

}  // extern "C"

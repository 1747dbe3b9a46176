#pragma once

namespace csink::agent {

/// What the library's constructor asks before it makes the agent, besides CSINK_ENABLE (IsEnabled).
/// Threads: the library's constructor. Signals: not safe.

/// True if the kernel started this image with AT_SECURE: setuid, setgid or with capabilities
/// (getauxval(3)). The agent does nothing there, because its environment comes from another user.
bool IsSecureExecution() noexcept;

/// False if another libagent.so is loaded and comes first: its hooks are called before those of
/// this one, and it does the work. One line says so then. Two copies find each other by one
/// exported variable, csink_agent_identity, which the dynamic linker resolves to the first of them.
bool IsTheFirstAgent() noexcept;

}  // namespace csink::agent

extern "C" {
/// Only its address is used: that of the first copy, in all copies.
extern int csink_agent_identity;
}

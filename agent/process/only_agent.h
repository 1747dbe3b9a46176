#pragma once

namespace csink::agent {

/// False if another libagent.so is loaded and comes first: its hooks are called before those of
/// this one, and it does the work. One line says so then. Two copies find each other by one
/// exported variable, csink_agent_identity, which the dynamic linker resolves to the first of them.
/// Threads: the library's constructor. Signals: not safe.
bool IsTheFirstAgent() noexcept;

}  // namespace csink::agent

extern "C" {
/// Only its address is used: that of the first copy, in all copies.
extern int csink_agent_identity;
}

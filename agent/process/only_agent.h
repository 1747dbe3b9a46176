#pragma once

namespace csink::agent {

/// False when another libagent.so is loaded and comes first: its hooks are called before
/// ours, and it does the work. Says so in one line then. Two copies find each other by one
/// exported variable, which the dynamic linker resolves to the first of them.
/// Threads: the library's constructor. Signals: not safe.
bool IsTheFirstAgent() noexcept;

}  // namespace csink::agent

extern "C" {
/// Its address tells which copy is the first; nobody reads or writes it.
extern int csink_agent_identity;
}

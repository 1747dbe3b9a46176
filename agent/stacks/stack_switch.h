#pragma once

namespace csink::agent {

/// Calls `function(arg)` on another stack, whose first byte behind the end is
/// `stack_top` (16-aligned), and comes back. For handlers: a program's alternate
/// stack may have 2 KiB, and a drain that makes the spool needs more. Every signal
/// must be blocked: the kernel would take a handler that has left the alternate
/// stack for one that never was on it, and start the next one on top of its frame.
/// Signals: safe.
void RunOnStack(void (*function)(void*), void* arg, void* stack_top) noexcept;

}  // namespace csink::agent

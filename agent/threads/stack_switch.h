#pragma once

namespace csink::agent {

/// Calls `function(arg)` on another stack and returns. `stack_top`: the first byte behind its end,
/// aligned to 16 bytes. For handlers: an alternate stack of the program may have only 2 KiB, and a
/// drain that creates the spool needs more.
///
/// All signals must be blocked. The kernel decides by the stack pointer whether a thread is on its
/// alternate stack; a handler that has left it would look as if it had never been there, and the
/// next signal's frame would overwrite this handler's. The stack must not be in use. Threads: any,
/// one at a time for a stack. Signals: safe.
void RunOnStack(void (*function)(void*), void* arg, void* stack_top) noexcept;

}  // namespace csink::agent

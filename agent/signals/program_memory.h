#pragma once

#include <cstddef>

namespace csink::agent {

/// File: memory at an address that a program gave to a function of ours.
///
/// A call that the kernel would answer with EFAULT must do so with us, too: what we look at before
/// we pass it on is tried first. A wrong address is the program's business, never our fault. The
/// try is rt_sigprocmask with a `how` that there is not: the kernel copies the mask before it looks
/// at `how` (EFAULT or EINVAL), needs no rights for it as process_vm_readv does, and every filter
/// allows it. 0.1 us for a page. In a sandbox where we are silent nothing is tried, and everything
/// counts as there.
///
/// Threads: any. Signals: safe. errno is left alone.

/// All of the `bytes` from there can be read. Memory that another thread unmaps meanwhile is not
/// ours to guard against.
bool MayRead(const void* from, std::size_t bytes) noexcept;

/// All of it or nothing, and false.
bool CopyFromProgram(const void* from, void* to, std::size_t bytes) noexcept;

/// A text down to its last byte; also none at all.
bool MayReadText(const char* text) noexcept;

/// A list of texts with a null pointer at its end, as an environment, down to each text's last
/// byte; also no list at all, which exec takes for an empty one.
bool MayReadTexts(char* const* texts) noexcept;

}  // namespace csink::agent

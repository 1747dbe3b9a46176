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

/// True if all of the `bytes` from there can be read. Another thread may unmap the memory
/// afterwards; the agent does not guard against that.
bool MayRead(const void* from, std::size_t bytes) noexcept;

/// Copies all of the `bytes` and returns true, or copies nothing and returns false.
bool CopyFromProgram(const void* from, void* to, std::size_t bytes) noexcept;

/// True if a string can be read up to its NUL; also for nullptr.
bool MayReadText(const char* text) noexcept;

/// True if a list of strings that ends with nullptr, such as an environment, can be read with all
/// its strings; also for nullptr, which exec takes for an empty list.
bool MayReadTexts(char* const* texts) noexcept;

}  // namespace csink::agent

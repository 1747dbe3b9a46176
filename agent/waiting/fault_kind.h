#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "profil/format/format.h"

/// File: why a thread is blocked outside of a system call, as far as the kernel says so.
/// Threads: any. Signals: safe (fault_kind_signal.cpp).

namespace csink::agent {

/// The text of /proc/PID/task/TID/wchan: the function of the kernel in which the thread sleeps. A
/// function that waits for a page of memory gives kDiskFault, which is true only if the thread has
/// also read from a disk. kFault: another function, or none.
spool::WaitKind KindOfKernelFunction(std::string_view function) noexcept;

/// The number behind "read_bytes: " in the text of /proc/PID/task/TID/io: what the thread has let
/// the kernel read from storage. 0: not found.
std::uint64_t DiskBytesOf(std::string_view text) noexcept;

/// Why thread `tid` of the process `folder` in /proc is blocked outside of a system call.
/// `disk_bytes`: what DiskBytesOf said at the last such look at the thread, at first 0; becomes the
/// present value. Seven system calls at most. kFault: nothing of it is known.
spool::WaitKind FaultKind(std::string_view folder, pid_t tid, std::uint64_t& disk_bytes) noexcept;

}  // namespace csink::agent

#pragma once

#include <sys/types.h>

#include <string_view>

#include "profil/format/format.h"

namespace csink::agent {

/// The kind of file from the text of the link /proc/PID/fd/N: "pipe:[17]", "anon_inode:[eventfd]",
/// "/dev/pts/3". kUnknown for "socket:[17]" and for a path, which may be a file of any type.
/// Signals: safe.
spool::DescriptorKind KindOfLink(std::string_view link) noexcept;

/// What descriptor `number` of thread `tid` refers to. `folder`: the folder of the thread's process
/// in /proc; the calling thread may have another table of descriptors. Nothing is opened: an opened
/// copy would keep a pipe or a socket of the program open. Two system calls. kUnknown: the
/// descriptor or the thread is gone. Threads: any. Signals: safe (descriptor_kind_signal.cpp).
spool::DescriptorKind KindOfDescriptor(std::string_view folder, pid_t tid, int number) noexcept;

}  // namespace csink::agent

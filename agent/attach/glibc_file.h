#pragma once

#include <cstdint>
#include <string>

namespace csink::attach {

/// The release of the GNU C library that the process has mapped, as spool::WaitObserver::glibc.
/// `folder`: the process's in /proc. 0: the process has another C library or a static one, the file
/// cannot be read, or the release does not tell the layout. Reads the text of the release out of
/// the file (2 MB) if it is not this process's own.
/// Threads: any. Signals: not safe (heap).
std::uint32_t GlibcOf(const std::string& folder);

}  // namespace csink::attach

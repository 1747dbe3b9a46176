#pragma once

#include <cstdint>

namespace csink {

/// One piece of a spool's file, to be opened, allocated and mapped.
struct FilePiece {
  const char* path;
  int flags;  ///< Of open, beside O_RDWR | O_NOFOLLOW | O_CLOEXEC
  std::uint64_t from;
  std::uint64_t bytes;
  bool known;  ///< The file must be (device, inode); else they are filled in
  std::uint64_t device;
  std::uint64_t inode;
  long result;  ///< 0 or -errno; -ESTALE: another file has that name now
  bool opened;
  void* address;  ///< Shared and writable; a forked child does not have it
};

/// With our memory but a table of descriptors of its own. In ours, a program that closes everything
/// and opens files meanwhile could get one of its own under our number, and we would allocate and
/// map that (seen: SIGBUS). Where neither a thread nor a child is to be had (limits on processes)
/// it is done here.
///
/// Threads: one at a time. Signals: safe.
void OpenFilePiece(FilePiece& piece) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>

namespace csink {

/// A piece of a spool's file that is to be opened, allocated and mapped.
struct FilePiece {
  const char* path;
  int flags;  ///< For open(2), in addition to O_RDWR | O_NOFOLLOW | O_CLOEXEC
  std::uint64_t from;
  std::uint64_t bytes;
  bool known;  ///< The file must be (device, inode); false: these are filled in
  std::uint64_t device;
  std::uint64_t inode;
  long result;  ///< 0 or -errno; -ESTALE: the name now belongs to another file
  bool opened;
  void* address;  ///< Shared and writable; not inherited by a forked child
};

/// Opens, allocates and maps the piece in a helper task that shares this process's memory but has a
/// descriptor table of its own. Reason: if the program closes all descriptors and opens files
/// meanwhile, one of its files could get the number of our descriptor, and would be allocated and
/// mapped (observed: SIGBUS). If neither a thread nor a child can be created (process limits), the
/// work is done in the calling thread.
///
/// Threads: one at a time.
/// Signals: safe.
void OpenFilePiece(FilePiece& piece) noexcept;

}  // namespace csink

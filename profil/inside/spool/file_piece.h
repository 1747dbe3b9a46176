#pragma once

#include <cstdint>

namespace csink {

/// A piece of a spool's file that is to be opened, allocated and mapped: the arguments and results
/// of OpenFilePiece.
struct FilePiece {
  const char* path;
  int flags;  ///< For open(2), in addition to O_RDWR | O_NOFOLLOW | O_CLOEXEC
  /// Offset and length of the piece in bytes; multiples of the page size
  std::uint64_t from;
  std::uint64_t bytes;
  /// The file must be (device, inode); false: these are filled in
  bool known;
  std::uint64_t device;
  std::uint64_t inode;
  /// 0 or -errno; -ESTALE: the name now belongs to another file; -EFBIG: RLIMIT_FSIZE is reached
  long result;
  /// The file was opened, also if a later step failed
  bool opened;
  /// The mapping: shared and writable; not inherited by a forked child. nullptr: a step failed, see
  /// result
  void* address;
};

/// RLIMIT_FSIZE in bytes; spool::kNoFileLimit: none, or not known. Signals: safe.
std::uint64_t FileSizeLimit() noexcept;

/// Opens, allocates and maps the piece in a helper task that shares this process's memory but has a
/// descriptor table of its own. Reason: if the program closes all descriptors and opens files
/// meanwhile, one of its files could get the number of our descriptor, and would be allocated and
/// mapped (observed: SIGBUS). If neither a thread nor a child can be created (process limits), the
/// work is done in the calling thread.
///
/// New files get mode 0600. The descriptor is closed afterwards.
/// A size beyond RLIMIT_FSIZE is refused here, so that the kernel sends no SIGXFSZ.
/// Threads: one at a time (the helper's stack is static).
/// Signals: safe.
void OpenFilePiece(FilePiece& piece) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profil/format/small_record.h"

namespace csink {

/// Builds one record of a small process (format: profil/format/small_record.h) and appends it to
/// the tree's record file. Begin, any number of Put, then Append; Begin starts a new record in the
/// same buffer.
///
/// Owns:    nothing; the buffer belongs to the caller (static, aligned to 8 bytes, kMaxSmallBytes).
/// Threads: one at a time.
/// Signals: safe.
class SmallRecordWriter {
 public:
  constexpr SmallRecordWriter(unsigned char* buffer, std::size_t bytes) noexcept
      : buffer_(buffer), capacity_(bytes) {}

  /// Starts a record of this kind; drops what was put before. `wait_us_plus_one`: see SmallHead.
  void Begin(spool::SmallKind kind, std::uint32_t wait_us_plus_one = 0) noexcept;
  /// Appends bytes. If they do not fit, the record becomes invalid.
  void Put(const void* bytes, std::size_t count) noexcept;
  /// Appends zeros up to a multiple of 8 bytes.
  void Align() noexcept;
  void PutText(std::string_view text) noexcept { Put(text.data(), text.size()); }

  /// Pads the record to a multiple of 8 bytes, sets its checksum, and appends it to `path` with one
  /// write(2). The file is created if it does not exist (mode 0600). Returns 0, or an errno if
  /// nothing was written: E2BIG (the record does not fit), EFBIG (RLIMIT_FSIZE), EINVAL (not a
  /// regular file), others of open(2) and write(2); ENOSPC also if only a part was written.
  int TryAppend(const char* path) noexcept;
  /// TryAppend, true for 0.
  bool Append(const char* path) noexcept { return TryAppend(path) == 0; }

 private:
  unsigned char* buffer_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  bool overflow_ = false;
};

}  // namespace csink

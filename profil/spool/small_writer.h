#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profil/spool/small_record.h"

namespace csink {

/// Builds one record of a small process (format: profil/spool/small_record.h) and
/// appends it to the tree's file.
///
/// Owns:    nothing; the buffer is its maker's (.bss for a process, 8-aligned).
/// Threads: one at a time. Signals: safe.
class SmallRecordWriter {
 public:
  constexpr SmallRecordWriter(unsigned char* buffer, std::size_t bytes) noexcept
      : buffer_(buffer), capacity_(bytes) {}

  void Begin(spool::SmallKind kind) noexcept;
  /// Appends bytes; what does not fit makes the record invalid.
  void Put(const void* bytes, std::size_t count) noexcept;
  void PutText(std::string_view text) noexcept { Put(text.data(), text.size()); }

  /// Pads, signs and appends the record to `path` by one write. False: nothing was
  /// written (it does not fit, no such folder, a limit on file sizes), or only a part.
  bool Append(const char* path) noexcept;

 private:
  unsigned char* buffer_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  bool overflow_ = false;
};

}  // namespace csink

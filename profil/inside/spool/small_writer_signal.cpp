#include <errno.h>
#include <fcntl.h>

#include <cstring>

#include "profil/inside/spool/append_file.h"
#include "profil/inside/spool/small_writer.h"

/// File: a record is put together in the caller's buffer and appended by one write(2).

namespace csink {
void SmallRecordWriter::Begin(spool::SmallKind kind, std::uint32_t wait_us_plus_one) noexcept {
  overflow_ = false;
  used_ = 0;
  spool::SmallHead head = {};
  std::memcpy(head.magic, spool::kSmallMagic, sizeof head.magic);
  head.version = spool::kSmallVersion;
  head.kind = kind;
  head.wait_us_plus_one = wait_us_plus_one;
  Put(&head, sizeof head);
}

void SmallRecordWriter::Put(const void* bytes, std::size_t count) noexcept {
  // Kept until Append, which then writes nothing: a part of a record would be damage.
  if (count > capacity_ - used_) {
    overflow_ = true;
    return;
  }
  std::memcpy(buffer_ + used_, bytes, count);
  used_ += count;
}

void SmallRecordWriter::Align() noexcept {
  constexpr char kZeros[8] = {};
  Put(kZeros, (8 - used_ % 8) % 8);
}

int SmallRecordWriter::TryAppend(const char* path) noexcept {
  Align();  // The checksum is computed over 64-bit words.
  if (overflow_) return E2BIG;
  spool::SmallHead head;
  std::memcpy(&head, buffer_, sizeof head);
  head.bytes = static_cast<std::uint32_t>(used_);
  head.checksum = 0;
  std::memcpy(buffer_, &head, sizeof head);
  head.checksum = spool::SmallChecksum(buffer_, used_ / 8);
  std::memcpy(buffer_, &head, sizeof head);

  return AppendToFile(path, buffer_, used_, O_CREAT);
}

}  // namespace csink

#pragma once

#include <mutex>
#include <optional>
#include <string_view>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer::dwarf {

/// One debug section. An uncompressed section of a file is read piece by piece; a compressed one is
/// inflated whole at its first read (.debug_info is read by InfoFeed instead, dwarf/feed.h).
///
/// So there are three states: bytes in memory that the caller owns, a section on disk, and a
/// section that was inflated or read whole. SectionWindow hides the difference.
/// Owns:    the inflated bytes. Neither movable nor copyable: windows and views refer to it.
/// Threads: safe; the first read is guarded by a once_flag.
class DwarfSection {
 public:
  /// An absent section.
  DwarfSection() = default;
  /// Bytes that the caller owns; for tests and fuzzing.
  explicit DwarfSection(Bytes memory) : memory_(memory), size_(memory.size()) {}
  /// `name` is without prefix: "info", "info.dwo". A missing section is an empty one. `file` must
  /// outlive this.
  DwarfSection(const ElfFile& file, std::string_view name);
  DwarfSection(const DwarfSection&) = delete;
  DwarfSection& operator=(const DwarfSection&) = delete;

  /// Whether `size()` is only claimed, and bytes must be inflated.
  bool IsCompressed() const { return is_compressed_; }
  /// In bytes; of a compressed section the inflated size as its header claims it, 0 if the claim is
  /// impossible; of a section that the file does not contain whole, the part that is there.
  std::uint64_t size() const { return size_; }

  /// All bytes. An uncompressed section of a file is read once and kept. Empty if it cannot be read
  /// or has more than 1 GiB. Valid while this object lives.
  Bytes Whole() const;
  /// True: pieces are read from the file on demand. False: the bytes are in memory, or inflated at
  /// the first read.
  bool IsOnDisk() const { return file_ != nullptr && !is_compressed_; }
  /// Reads [offset, offset + size) to `to`; false if the section is shorter. Only for IsOnDisk().
  bool Read(std::uint64_t offset, std::size_t size, void* to) const {
    return offset <= size_ && size <= size_ - offset &&
           file_->object().Read(file_offset_ + offset, size, to);
  }
  /// The file, null for bytes in memory; and the section's index in it.
  const ElfFile* file() const { return file_; }
  std::size_t index() const { return index_; }

 private:
  Buffer ReadAll() const;

  const ElfFile* file_ = nullptr;
  std::size_t index_ = 0;
  std::uint64_t file_offset_ = 0;
  bool is_compressed_ = false;
  mutable std::once_flag once_;
  mutable Buffer buffer_;
  mutable Bytes memory_;
  std::uint64_t size_ = 0;
};

/// A reader's window on a section: keeps a piece around the last position that was read, so that
/// neighbouring reads cost one system call.
/// Owns:    its piece. The section must outlive it.
/// Threads: one; several windows may read one section.
class SectionWindow {
 public:
  /// From a file, at least `piece_bytes` are read at a time: a few hundred for reads in no order,
  /// more for reads in sequence. For sections in memory it has no effect.
  explicit SectionWindow(const DwarfSection& section, std::uint64_t piece_bytes = 64 << 10)
      : section_(&section), piece_bytes_(piece_bytes) {}

  /// At least `want` bytes from `offset` on, or all that there are; empty behind the end, and if
  /// the file cannot be read. Valid until the next call.
  Bytes At(std::uint64_t offset, std::uint64_t want) {
    if (offset >= start_ && offset - start_ <= held_.size() &&
        want <= held_.size() - (offset - start_)) {
      return held_.subspan(static_cast<std::size_t>(offset - start_));
    }
    return Fetch(offset, want);
  }
  /// The NUL-terminated string at `offset`; empty if there is none, or it is longer than
  /// kMaxTextBytes. Valid until the next call.
  std::string_view Text(std::uint64_t offset);

 private:
  /// At for bytes that are not in the piece.
  Bytes Fetch(std::uint64_t offset, std::uint64_t want);

  const DwarfSection* section_;
  std::uint64_t piece_bytes_;
  std::uint64_t start_ = 0;
  Bytes held_;
  Buffer buffer_;
};

}  // namespace csink::symbolizer::dwarf

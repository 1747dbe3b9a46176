#pragma once

#include <mutex>
#include <optional>
#include <string_view>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer::dwarf {

/// One debug section, read piece by piece where it lies uncompressed in a file.
///
/// A compressed one is inflated whole when it is first read (.debug_info is not read in this
/// way: unit_stream.h).
/// Owns:    what was inflated. Neither movable nor copyable.
/// Threads: safe.
class DwarfSection {
 public:
  DwarfSection() = default;
  explicit DwarfSection(Bytes memory) : memory_(memory), size_(memory.size()) {}
  /// `name` without prefix: "info", "info.dwo". Absent sections are empty.
  DwarfSection(const ElfFile& file, std::string_view name);
  DwarfSection(const DwarfSection&) = delete;
  DwarfSection& operator=(const DwarfSection&) = delete;

  bool IsPresent() const { return size_ != 0; }
  bool IsCompressed() const { return is_compressed_; }
  /// Of the inflated bytes, as the header says.
  std::uint64_t size() const { return size_; }

  /// All of it. An uncompressed section of a file is read and kept.
  Bytes Whole() const;
  /// True when pieces are read from the file one by one, false when they are in memory.
  bool IsOnDisk() const { return file_ != nullptr && !is_compressed_; }
  /// Fills `to`; only where IsOnDisk().
  bool Read(std::uint64_t offset, std::size_t size, void* to) const {
    return offset <= size_ && size <= size_ - offset &&
           file_->object().Read(file_offset_ + offset, size, to);
  }
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

/// A reader's view of a section: a piece around the last place that was asked for.
/// Threads: one.
class SectionWindow {
 public:
  /// Of a file, at least `piece_bytes` are read at a time.
  explicit SectionWindow(const DwarfSection& section, std::uint64_t piece_bytes = 64 << 10)
      : section_(&section), piece_bytes_(piece_bytes) {}

  /// The bytes from `offset` on: at least `want` of them, or all that there are. Valid until the
  /// next call.
  Bytes At(std::uint64_t offset, std::uint64_t want) {
    if (offset >= start_ && offset - start_ <= held_.size() &&
        want <= held_.size() - (offset - start_)) {
      return held_.subspan(static_cast<std::size_t>(offset - start_));
    }
    return Fetch(offset, want);
  }
  /// The text at `offset`, which is copied by who keeps it.
  std::string_view Text(std::uint64_t offset);

 private:
  Bytes Fetch(std::uint64_t offset, std::uint64_t want);

  const DwarfSection* section_;
  std::uint64_t piece_bytes_;
  std::uint64_t start_ = 0;
  Bytes held_;
  Buffer buffer_;
};

}  // namespace csink::symbolizer::dwarf

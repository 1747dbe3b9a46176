#include "symbolizer/names/dwarf/section.h"

#include <algorithm>
#include <cstring>

#include "symbolizer/names/bytes/inflate.h"
#include "symbolizer/names/elf/inflate_stream.h"

namespace csink::symbolizer::dwarf {
namespace {

/// Size of the first read of a string; few names are longer.
constexpr std::uint64_t kTextBytes = 256;

}  // namespace

DwarfSection::DwarfSection(const ElfFile& file, std::string_view name) {
  const auto index = file.FindDebugSection(name);
  if (!index) return;
  const Elf64_Shdr& header = file.sections()[*index];
  file_ = &file;
  index_ = *index;
  file_offset_ = header.sh_offset;
  is_compressed_ = file.IsCompressed(*index);
  if (is_compressed_) {
    size_ = file.InflatedSize(*index);
    // No supported compression reaches this ratio. A larger claim is damage, and would only cost
    // memory.
    if (size_ >> 16 > header.sh_size) size_ = 0;
  } else if (header.sh_offset < file.object().size()) {
    // A section that the file does not contain whole is used as far as it goes: the units in front
    // can be read.
    size_ = std::min(header.sh_size, file.object().size() - header.sh_offset);
  }
}

Buffer DwarfSection::ReadAll() const {
  if (!is_compressed_) return file_->ReadSection(index_);
  // Inflated in pieces, so that the compressed bytes are never in memory as a whole.
  if (size_ > kMaxInflatedBytes) return {};
  const auto stream = InflateStream::Open(*file_, index_);
  Buffer all(static_cast<std::size_t>(size_));
  if (!stream || all.size() != size_ || !stream->Read(size_, all.data())) return {};
  return all;
}

Bytes DwarfSection::Whole() const {
  if (file_ == nullptr) return memory_;
  std::call_once(once_, [this] {
    // The flag is set even if the read fails: an attempt for each later read would inflate the
    // section again.
    buffer_ = ReadAll();
    memory_ = buffer_.bytes();
  });
  return memory_;
}

Bytes SectionWindow::Fetch(std::uint64_t offset, std::uint64_t want) {
  if (offset >= section_->size()) return {};
  if (!section_->IsOnDisk()) {
    start_ = 0;
    held_ = section_->Whole();
    return Part(held_, offset, held_.size());
  }
  const std::uint64_t size = std::min(std::max(want, piece_bytes_), section_->size() - offset);
  // A buffer that grew for one large read is not kept for later small ones.
  if (buffer_.size() < size || buffer_.size() > 4 * piece_bytes_) {
    buffer_ = Buffer(static_cast<std::size_t>(std::max(size, piece_bytes_)));
  }
  // Until the read has succeeded, the old piece is not valid: the buffer is overwritten.
  held_ = {};
  if (buffer_.size() < size ||
      !section_->Read(offset, static_cast<std::size_t>(size), buffer_.data())) {
    return {};
  }
  start_ = offset;
  held_ = buffer_.bytes().first(static_cast<std::size_t>(size));
  return held_;
}

std::string_view SectionWindow::Text(std::uint64_t offset) {
  // The length of a string is not known, so the part that is read grows until it contains a NUL.
  for (std::uint64_t want = kTextBytes; want <= 2 * kMaxTextBytes; want *= 8) {
    const Bytes bytes = At(offset, want);
    const void* nul = bytes.empty() ? nullptr : std::memchr(bytes.data(), 0, bytes.size());
    if (nul != nullptr) return TextAt(bytes, 0);
    if (bytes.size() < want) break;
  }
  return {};
}

}  // namespace csink::symbolizer::dwarf

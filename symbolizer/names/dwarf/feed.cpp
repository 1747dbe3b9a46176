#include "symbolizer/names/dwarf/feed.h"

#include <algorithm>
#include <cstring>

/// File: .debug_info from front to back, unit by unit. A compressed section is inflated as a
/// stream: the whole of it would be gigabytes for a browser, of which most units are stepped over.

namespace csink::symbolizer::dwarf {
namespace {

/// Enough for a unit's header and root DIE in most units.
constexpr std::uint64_t kFrontBytes = 1 << 10;

}  // namespace

InfoFeed::InfoFeed(const DwarfSection& info) : info_(info), window_(info, kFrontBytes) {
  if (info.IsCompressed()) stream_ = InflateStream::Open(*info.file(), info.index());
}

bool InfoFeed::Fill(std::uint64_t want) {
  // A failed read leaves what was known before: Peek then returns nothing, and the walk ends.
  const std::size_t had = ahead_.size();
  if (had >= want) return true;
  ahead_.resize(static_cast<std::size_t>(want));
  if (stream_ && stream_->Read(ahead_.size() - had, ahead_.data() + had)) return true;
  ahead_.resize(had);
  return false;
}

Bytes InfoFeed::Peek(std::uint64_t want) {
  want = std::min(want, left());
  if (!info_.IsCompressed()) return Part(window_.At(offset_, want), 0, want);
  return Fill(want) ? Bytes(ahead_).first(static_cast<std::size_t>(want)) : Bytes();
}

bool InfoFeed::Skip(std::uint64_t size) {
  if (size > left()) return false;
  offset_ += size;
  if (!info_.IsCompressed()) return true;
  // First what Peek has already inflated, then the stream itself.
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(size, ahead_.size()));
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(known));
  size -= known;
  return size == 0 || (stream_ && stream_->Read(size, nullptr));
}

Bytes InfoFeed::Take(std::uint64_t size, Buffer& room) {
  if (size > left()) return {};
  const std::uint64_t at = offset_;
  offset_ += size;
  if (!info_.IsCompressed()) return TakeInfo(info_, at, size, room);
  // The caller's buffer is reused: units of a program have similar sizes.
  if (room.size() < size) room = Buffer(static_cast<std::size_t>(size));
  if (room.size() < size) return {};
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(size, ahead_.size()));
  std::copy_n(ahead_.data(), known, room.data());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(known));
  const auto rest = static_cast<std::size_t>(size) - known;
  if (rest != 0 && (!stream_ || !stream_->Read(rest, room.data() + known))) return {};
  return room.bytes().first(static_cast<std::size_t>(size));
}

Bytes TakeInfo(const DwarfSection& info, std::uint64_t offset, std::uint64_t size, Buffer& room) {
  if (!info.IsOnDisk()) {
    const Bytes part = Part(info.Whole(), offset, size);
    return part.size() == size ? part : Bytes();
  }
  // Such a unit would be read into memory at once.
  constexpr std::uint64_t kMaxUnitBytes = std::uint64_t{1} << 30;
  if (size > kMaxUnitBytes) return {};
  if (room.size() < size) room = Buffer(static_cast<std::size_t>(size));
  if (room.size() < size || !info.Read(offset, static_cast<std::size_t>(size), room.data())) {
    return {};
  }
  return room.bytes().first(static_cast<std::size_t>(size));
}

}  // namespace csink::symbolizer::dwarf

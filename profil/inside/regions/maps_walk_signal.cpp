#include <cstring>

#include "core/util/fnv1a.h"
#include "profil/inside/regions/maps_walk.h"

/// File: see the header.

namespace csink {
namespace {

RegionIndex::Mapping MappingOf(const MapsLine& line) noexcept {
  RegionIndex::Mapping mapping;
  mapping.start = line.start;
  mapping.end = line.end;
  mapping.file_offset = line.offset;
  mapping.inode = line.inode;
  mapping.device_major = line.dev_major;
  mapping.device_minor = line.dev_minor;
  mapping.image_start = line.image_start;
  mapping.deleted = line.deleted;
  mapping.path = line.path;
  return mapping;
}

}  // namespace

bool IsHugePageFile(std::string_view path, bool deleted) noexcept {
  return path == "/anon_hugepage" || (deleted && path.starts_with("/dev/hugepages/"));
}

bool IsPlainMemory(std::string_view path, bool deleted) noexcept {
  return path.empty() || path.starts_with("[anon:") || path.starts_with("[anon_shmem:") ||
         IsHugePageFile(path, deleted);
}

void MapsWalk::Visit(const MapsLine& line) noexcept {
  const bool is_memory = IsPlainMemory(line.path, line.deleted);
  if (waits_ && is_memory && line.executable && line.start == waiting_.end &&
      line.path == waiting_.path) {
    waiting_.end = line.end;
    return;
  }
  const bool between = waits_ && IsSameImage(line);
  Settle(between ? &line : nullptr);
  if (is_memory && line.executable && line.start == left_.end &&
      line.path.size() <= sizeof waiting_path_) {
    waiting_ = MappingOf(line);
    // The path of a line is valid during its visit only.
    std::memcpy(waiting_path_, line.path.data(), line.path.size());
    waiting_.path = std::string_view(waiting_path_, line.path.size());
    waits_ = true;
    return;
  }
  if (line.executable) take_(MappingOf(line), arg_);
  left_ =
      is_memory ? Left{} : Left{line.start, line.end, line.offset, line.inode, Fnv1a(line.path)};
}

// True if the mapping `line` continues the file of left_ behind the waiting memory, at the same
// distance from the file's begin.
bool MapsWalk::IsSameImage(const MapsLine& line) const noexcept {
  return line.start == waiting_.end && line.inode != 0 && line.inode == left_.inode &&
         line.start - line.offset == left_.start - left_.offset &&
         Fnv1a(line.path) == left_.path_hash;
}

void MapsWalk::Settle(const MapsLine* right) noexcept {
  if (!waits_) return;
  waits_ = false;
  if (right != nullptr) {
    const std::uint64_t start = waiting_.start;
    const std::uint64_t end = waiting_.end;
    waiting_ = MappingOf(*right);
    waiting_.file_offset -= waiting_.start - start;
    waiting_.start = start;
    waiting_.end = end;
  }
  take_(waiting_, arg_);
}

}  // namespace csink

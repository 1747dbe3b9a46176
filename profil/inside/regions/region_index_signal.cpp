#include <cstring>
#include <new>

#include "core/util/fnv1a.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "profil/inside/regions/maps_walk.h"
#include "profil/inside/regions/region_index.h"

/// File: the table of executable mappings, sorted by address and without overlaps. Add keeps it so:
/// a new mapping cuts or removes those that it covers. A special case is text that a program has
/// moved to huge pages: its addresses then lie in anonymous memory, but its symbols are those of
/// the file. MapsWalk recognises this in maps by the neighbours, IsRemappedText in mapping records
/// by the ELF header that is still mapped.

namespace csink {
namespace {

bool IsFile(std::string_view path) noexcept { return !path.empty() && path[0] == '/'; }

/// Adds the mappings of a walk to an index.
struct Adding {
  RegionIndex& index;
  SpoolWriter& spool;
  const std::uint64_t* wanted;  ///< Addresses; only their mappings are added
  std::size_t wanted_count;     ///< 0: all mappings are
};

void AddTo(const RegionIndex::Mapping& mapping, void* arg) noexcept {
  const Adding& to = *static_cast<Adding*>(arg);
  bool is_wanted = to.wanted_count == 0;
  for (std::size_t i = 0; i < to.wanted_count; ++i) {
    is_wanted = is_wanted || (to.wanted[i] >= mapping.start && to.wanted[i] < mapping.end);
  }
  if (is_wanted) to.index.Add(to.spool, mapping);
}

bool VisitMapping(const MapsLine& line, void* arg) noexcept {
  static_cast<MapsWalk*>(arg)->Visit(line);
  return true;
}

}  // namespace

std::uint32_t RegionFlags(std::string_view path, bool deleted) noexcept {
  const std::uint32_t flags = deleted ? spool::kRegionDeleted : 0;
  if (path == "[vdso]") return flags | spool::kRegionVdso;
  return IsFile(path) ? flags : flags | spool::kRegionAnonymous;
}

bool RegionIndex::IsRemappedText(SpoolWriter& spool, const Entry& entry,
                                 const Mapping& mapping) noexcept {
  const bool is_memory = IsPlainMemory(mapping.path, mapping.deleted);
  if (!is_memory || entry.image_start == 0 || mapping.start < entry.start ||
      mapping.end > entry.end) {
    return false;
  }
  const auto* region = spool.At<spool::RegionRecord>(entry.id);
  // Without a build-id the module cannot be told from other code at the address.
  if (!region || region->build_id_bytes == 0) return false;
  std::uint8_t id[kMaxBuildIdBytes];
  return ReadBuildId(entry.image_start, id) == region->build_id_bytes &&
         std::memcmp(id, region->build_id, region->build_id_bytes) == 0;
}

std::size_t RegionIndex::LowerBound(std::uint64_t pc) const noexcept {
  std::size_t low = 0;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (entries_[middle].end <= pc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;  // The first entry that ends after pc
}

std::uint32_t RegionIndex::Find(std::uint64_t pc) noexcept {
  // Unsigned: a pc below start gives a large difference.
  if (last_ < count_ && pc - entries_[last_].start < entries_[last_].end - entries_[last_].start) {
    return entries_[last_].id;
  }
  const std::size_t at = LowerBound(pc);
  if (at == count_ || pc < entries_[at].start) return spool::kNone;
  last_ = at;
  return entries_[at].id;
}

bool RegionIndex::Locate(std::uint64_t pc, Located& out) noexcept {
  if (Find(pc) == spool::kNone) return false;
  const Entry& entry = entries_[last_];
  out = {entry.id, entry.start, entry.end, entry.file_offset};
  return true;
}

void RegionIndex::Erase(std::size_t from, std::size_t to) noexcept {
  if (from == to) return;
  for (std::size_t i = from; i < to; ++i) retired_[retired_next_++ % kRetired] = entries_[i];
  std::memmove(entries_ + from, entries_ + to, (count_ - to) * sizeof(Entry));
  count_ -= to - from;
}

void RegionIndex::Add(SpoolWriter& spool, const Mapping& mapping) noexcept {
  const std::uint64_t hash = Fnv1a(mapping.path);
  std::size_t at = LowerBound(mapping.start);
  if (at < count_ && entries_[at].start == mapping.start && entries_[at].end == mapping.end &&
      entries_[at].file_offset == mapping.file_offset && entries_[at].path_hash == hash) {
    if (entries_[at].image_start == 0) entries_[at].image_start = mapping.image_start;
    if (!entries_[at].has_build_id && mapping.image_start != 0) {
      // The mapping was added by a record without build id; now the image is mapped and can be
      // read.
      if (auto* region = spool.At<spool::RegionRecord>(entries_[at].id)) {
        region->build_id_bytes =
            static_cast<std::uint32_t>(ReadBuildId(mapping.image_start, region->build_id));
      }
      entries_[at].has_build_id = 1;
    }
    return;
  }
  // Text that was copied to huge pages keeps its region, and with it its symbols.
  if (at < count_ && IsRemappedText(spool, entries_[at], mapping)) return;
  ++changes_;
  // ++changes_ above: caches by address must look again even if the region is an old one.
  const std::uint32_t known = FindRetired(spool, mapping, hash);
  spool::RegionRecord region = {};
  region.start = mapping.start;
  region.end = mapping.end;
  region.file_offset = mapping.file_offset;
  region.inode = mapping.inode;
  region.device_major = mapping.device_major;
  region.device_minor = mapping.device_minor;
  region.flags = RegionFlags(mapping.path, mapping.deleted);
  bool has_build_id = false;
  if (mapping.build_id_bytes != 0) {
    region.build_id_bytes = mapping.build_id_bytes;
    std::memcpy(region.build_id, mapping.build_id, sizeof region.build_id);
    has_build_id = true;
  } else if (known != spool::kNone) {
    has_build_id = true;  // Or the file never had one
  } else if (mapping.image_start != 0 && !(region.flags & spool::kRegionAnonymous)) {
    region.build_id_bytes =
        static_cast<std::uint32_t>(ReadBuildId(mapping.image_start, region.build_id));
    has_build_id = true;
  }
  // A mapping without a place in the table needs no record.
  const bool has_room = count_ < kMaxEntries || (at < count_ && entries_[at].start < mapping.end);
  const std::uint32_t id = known != spool::kNone ? known
                           : has_room            ? spool.AddRegion(region, mapping.path)
                                                 : spool::kNone;

  // Removes the address range from the index even if the new mapping has no room; parts of old
  // mappings on either side are kept.
  std::size_t end = at;
  while (end < count_ && entries_[end].start < mapping.end) ++end;
  Entry tail = {};
  if (at < end && entries_[end - 1].end > mapping.end) {
    // The last mapping that overlaps reaches beyond the new one; its end stays as an entry with the
    // same id.
    tail = entries_[end - 1];
    tail.file_offset += mapping.end - tail.start;
    tail.start = mapping.end;
  }
  if (at < end && entries_[at].start < mapping.start) {
    entries_[at].end = mapping.start;
    ++at;
  }
  Erase(at, end);
  if (tail.end != 0) Insert(at, tail);
  // Without a record there must be no entry: samples would be counted for an invalid id.
  if (id == spool::kNone || !Insert(at, {mapping.start, mapping.end, mapping.file_offset, hash, id,
                                         has_build_id, mapping.image_start})) {
    ++(reading_ ? missing_ : lost_);
  }
}

bool RegionIndex::Insert(std::size_t at, const Entry& entry) noexcept {
  // The index is full: samples in this mapping have no region.
  if (count_ == kMaxEntries) return false;
  std::memmove(entries_ + at + 1, entries_ + at, (count_ - at) * sizeof(Entry));
  entries_[at] = entry;
  ++count_;
  return true;
}

std::uint32_t RegionIndex::FindRetired(SpoolWriter& spool, const Mapping& mapping,
                                       std::uint64_t path_hash) noexcept {
  for (const Entry& entry : retired_) {
    if (entry.end != mapping.end || entry.start != mapping.start ||
        entry.file_offset != mapping.file_offset || entry.path_hash != path_hash) {
      continue;
    }
    const auto* region = spool.At<spool::RegionRecord>(entry.id);
    // A file that was rebuilt between two loads is another region.
    const bool same_build =
        mapping.build_id_bytes == 0 || !region ||
        (region->build_id_bytes == mapping.build_id_bytes &&
         std::memcmp(region->build_id, mapping.build_id, mapping.build_id_bytes) == 0);
    // Inode 0 means unknown: records with a build-id have none.
    const bool same_file =
        mapping.inode == 0 || !region || region->inode == 0 || region->inode == mapping.inode;
    if (region && same_build && same_file) return entry.id;
  }
  return spool::kNone;
}

void RegionIndex::ReadMaps(SpoolWriter& spool, const std::uint64_t* wanted,
                           std::size_t wanted_count) noexcept {
  reading_ = true;
  missing_ = 0;
  Adding adding = {*this, spool, wanted, wanted_count};
  MapsWalk walk(AddTo, &adding);
  // Without /proc, PCs have no region, and the report says so. The reader's buffer is a member and
  // not on the stack, because this function may run in a signal handler with a small stack.
  auto* reader = new (reader_) MapsReader(VisitMapping, &walk);
  (void)ForEachMapping("/proc/thread-self/maps", *reader);
  walk.Finish();
  // Each reading meets the same mappings again, so the readings are not added up.
  if (missing_ > lost_) lost_ = missing_;
  reading_ = false;
}

std::uint32_t RegionIndex::Kernel(SpoolWriter& spool) noexcept {
  if (!has_kernel_) {
    has_kernel_ = true;
    spool::RegionRecord region = {};
    region.start = region.file_offset = kKernelStart;
    region.end = ~std::uint64_t{0};
    region.flags = spool::kRegionKernel;
    kernel_region_ = spool.AddRegion(region, kKernelName);
  }
  return kernel_region_;
}

std::uint32_t RegionIndex::Unknown(SpoolWriter& spool) noexcept {
  if (!has_unknown_) {
    has_unknown_ = true;
    spool::RegionRecord region = {};
    region.flags = spool::kRegionUnknown;
    unknown_ = spool.AddRegion(region, "[unknown]");
  }
  return unknown_;
}

}  // namespace csink

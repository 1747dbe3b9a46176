#include <cstring>

#include "profil/inside/regions/mapping_record.h"

/// File: mapping records of the kernel. MMAP2 has device, inode and protection. A plain MMAP record
/// has none of these, but is always of executable memory: the events do not ask for data mappings
/// (perf_event_attr.mmap_data).

namespace csink {
namespace {

// Offsets in PERF_RECORD_MMAP and MMAP2, including the record's header (perf_event_open(2)).
constexpr std::size_t kMapStart = 16;
constexpr std::size_t kMapBytes = 24;
constexpr std::size_t kMapOffset = 32;
constexpr std::size_t kMapName1 = 40;  // MMAP
constexpr std::size_t kMapMajor = 40;  // MMAP2
constexpr std::size_t kMapMinor = 44;
constexpr std::size_t kMapInode = 48;
constexpr std::size_t kMapBuildIdBytes = 40;  // with PERF_RECORD_MISC_MMAP_BUILD_ID
constexpr std::size_t kMapBuildId = 44;
constexpr std::size_t kMapProtection = 64;
constexpr std::size_t kMapName2 = 72;
constexpr std::uint32_t kProtExec = 4;
constexpr std::uint16_t kMiscBuildId = 1 << 14;

}  // namespace

bool ReadMappingRecord(const RingRecord& record, RegionIndex::Mapping& mapping, char* path,
                       std::size_t path_bytes, const char* root) noexcept {
  const bool second = record.type() == PERF_RECORD_MMAP2;
  if (second && !(record.U32(kMapProtection) & kProtExec)) return false;
  mapping.start = record.U64(kMapStart);
  mapping.end = mapping.start + record.U64(kMapBytes);
  mapping.file_offset = record.U64(kMapOffset);
  // Start and size come from the kernel, but through a ring that the program can write to.
  if (mapping.end <= mapping.start) return false;
  // The build-id is in place of device and inode.
  if (second && (record.misc() & kMiscBuildId)) {
    std::uint8_t bytes = 0;
    record.Bytes(kMapBuildIdBytes, &bytes, 1);
    mapping.build_id_bytes = bytes > kMaxBuildIdBytes ? kMaxBuildIdBytes : bytes;
    record.Bytes(kMapBuildId, mapping.build_id, mapping.build_id_bytes);
  } else if (second) {
    mapping.device_major = record.U32(kMapMajor);
    mapping.device_minor = record.U32(kMapMinor);
    mapping.inode = record.U64(kMapInode);
  }
  // The record pads the name with zeros to a multiple of 8, so the text ends at the first one.
  const std::size_t got = record.Bytes(second ? kMapName2 : kMapName1, path, path_bytes - 1);
  path[got] = 0;
  mapping.path = std::string_view(path, strlen(path));
  // The kernel's name for anonymous memory in mapping records; in maps such a line has no path.
  if (mapping.path == "//anon") mapping.path = "";
  const NamedFile file = {mapping.inode, mapping.device_major, mapping.device_minor,
                          /*escaped=*/false};
  if (!mapping.path.empty()) {
    const DecodedName name = DecodeFileName(path, mapping.path.size(), file, root);
    mapping.path = std::string_view(path, name.bytes);
    mapping.deleted = name.deleted;
  }
  return true;
}

}  // namespace csink

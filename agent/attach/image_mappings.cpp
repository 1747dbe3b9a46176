#include "agent/attach/image_mappings.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <iterator>
#include <utility>

#include "agent/attach/file_build_id.h"
#include "core/util/unique_fd.h"

namespace csink::attach {
namespace {

// The build-id of a mapped file. The name is that of the process's own file system, so the file may
// be another one here: it must have the inode of the mapping.
void ReadBuildIdOf(const std::string& folder, Mapped& mapped) {
  if (mapped.facts.build_id_bytes != 0 || mapped.path.empty() || mapped.path[0] != '/' ||
      mapped.facts.deleted) {
    return;
  }
  // O_NONBLOCK: a fifo that replaced the file must not block.
  const UniqueFd fd(
      open((folder + "/root" + mapped.path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return;
  struct stat status;
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (mapped.facts.inode != 0 && status.st_ino != mapped.facts.inode) return;
  mapped.facts.build_id_bytes =
      static_cast<std::uint32_t>(ReadFileBuildId(fd.get(), mapped.facts.build_id));
}

}  // namespace

void ImageMappings::Add(const std::string& folder, const RegionIndex::Mapping& mapping) {
  Mapped mapped = {mapping, std::string(mapping.path)};
  // With an image_start the index would read the image at this address in csink-attach's memory.
  mapped.facts.image_start = 0;
  ReadBuildIdOf(folder, mapped);
  // The index keeps those parts of a covered mapping that lie beside the new one.
  auto at = mappings_.lower_bound(mapping.start);
  while (at != mappings_.end() && at->second.facts.end <= mapping.end) at = mappings_.erase(at);
  Mapped& kept = mappings_[mapping.start] = std::move(mapped);
  kept.facts.path = kept.path;
  if (spool_ != nullptr) AddToIndex(kept);
}

bool ImageMappings::CoversFile(const RegionIndex::Mapping& mapping) const {
  auto at = mappings_.upper_bound(mapping.start);
  if (at != mappings_.begin() && std::prev(at)->second.facts.end > mapping.start) --at;
  for (; at != mappings_.end() && at->first < mapping.end; ++at) {
    if (at->second.path.starts_with('/')) return true;
  }
  return false;
}

void ImageMappings::CopyFrom(const ImageMappings& other) {
  for (const auto& [start, mapped] : other.mappings_) mappings_[start] = mapped;
  for (auto& [start, mapped] : mappings_) mapped.facts.path = mapped.path;
}

void ImageMappings::WriteTo(SpoolWriter& spool) {
  spool_ = &spool;
  regions_ = std::make_unique<RegionIndex>();
  for (const auto& [start, mapped] : mappings_) AddToIndex(mapped);
}

}  // namespace csink::attach

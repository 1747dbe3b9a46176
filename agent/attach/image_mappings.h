#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink::attach {

/// An executable mapping of another process, as RegionIndex::Mapping, with its own text.
struct Mapped {
  RegionIndex::Mapping facts;
  std::string path;
};

/// The executable mappings of another process. They become regions when the spool exists, which is
/// from the process's first sample on.
///
/// Threads: one.
class ImageMappings {
 public:
  bool empty() const { return mappings_.empty(); }
  /// Adds a mapping, which replaces what it covers of older ones. `folder`: of the process in
  /// /proc; the build-id is read through it.
  void Add(const std::string& folder, const RegionIndex::Mapping& mapping);
  /// Whether the mapping covers a part of a file's mapping.
  bool CoversFile(const RegionIndex::Mapping& mapping) const;
  /// Copies the mappings of a process that forked.
  void CopyFrom(const ImageMappings& other);

  /// Writes the mappings as regions into `spool`, which must be open. Later mappings are written
  /// when they are added. Called once, before regions().
  void WriteTo(SpoolWriter& spool);
  RegionIndex& regions() { return *regions_; }

 private:
  void AddToIndex(const Mapped& mapped) { regions_->Add(*spool_, mapped.facts); }

  std::map<std::uint64_t, Mapped> mappings_;  ///< By start
  SpoolWriter* spool_ = nullptr;
  std::unique_ptr<RegionIndex> regions_;
};

}  // namespace csink::attach

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profil/reading/model/tree_evidence.h"
#include "profil/reading/reader/small_reader.h"
#include "symbolizer/commands/push/part_source.h"

/// File: the spools of a tree under `csink run`, read while it runs.

namespace csink::tool {

/// The spools and records in the folder of a tree. Files that cannot be read are left out without a
/// word: the report at the tree's end names them.
/// Owns: the names of the spools that were sent, and for each process that called exec after its
///   record a copy of that.
/// Threads: one at a time.
class TreeParts : public PartSource {
 public:
  explicit TreeParts(std::string folder) : folder_(std::move(folder)) {}
  Growth Read(const MergeOptions& options) override;
  void Taken() override;

 private:
  using Image = std::pair<std::uint32_t, std::uint64_t>;  ///< pid, start_monotonic_ns
  /// Records of images that called exec: a failed exec is followed by another record of the image.
  using Records = std::map<Image, std::shared_ptr<const spool::Spool>>;

  /// One Read: what Taken makes the state of.
  struct Reading {
    std::unordered_set<std::string> ended;         ///< Paths of spools
    std::map<std::string, std::uint64_t> offsets;  ///< By path of a file of records
    Records held;
    std::vector<OuterNumber> numbers;
    std::set<Image> spools;                         ///< Images
    std::map<std::uint32_t, std::uint64_t> newest;  ///< By pid: the start of its last image
  };
  struct Mergers;

  void AddSpool(const std::string& path, bool has_successor, Mergers& mergers);
  void AddRecords(const spool::SmallRecords& small, const std::string& path, Mergers& mergers);
  void AddHeld(Mergers& mergers);

  std::string folder_;
  Reading taken_;    ///< As of the last part that was taken
  Reading reading_;  ///< As of the last Read
};

}  // namespace csink::tool

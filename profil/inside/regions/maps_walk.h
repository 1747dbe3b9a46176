#pragma once

#include <cstdint>
#include <string_view>

#include "core/machine/maps.h"
#include "profil/inside/regions/region_index.h"

namespace csink {

/// Whether the mapping is memory from the huge page pool: the kernel shows it with a path.
bool IsHugePageFile(std::string_view path, bool deleted) noexcept;

/// Whether a mapping is memory without a file of its own, to which a program may have moved text:
/// anonymous memory, with or without a name (PR_SET_VMA), or huge pages.
bool IsPlainMemory(std::string_view path, bool deleted) noexcept;

/// Turns the lines of maps, in their order, into executable mappings. Executable memory without a
/// file directly behind a file's mapping is kept until the next line is known: if it lies between
/// two parts of the same image, it is text of this image that was moved to other memory (huge
/// pages), and becomes a mapping of that file.
///
/// Threads: one. Signals: safe if `take` is.
class MapsWalk {
 public:
  /// `take(mapping, arg)` is called for each executable mapping; its path is valid during the call.
  using Take = void (*)(const RegionIndex::Mapping& mapping, void* arg);
  MapsWalk(Take take, void* arg) noexcept : take_(take), arg_(arg) {}

  void Visit(const MapsLine& line) noexcept;
  /// Ends the walk: takes the mapping that still waits.
  void Finish() noexcept { Settle(nullptr); }

 private:
  /// The mapping of a file in the line before, to which memory may belong; all zero: none.
  struct Left {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    std::uint64_t inode = 0;
    std::uint64_t path_hash = 0;
  };

  bool IsSameImage(const MapsLine& line) const noexcept;
  /// Takes the waiting mapping: as memory, or with `right` as a part of that file.
  void Settle(const MapsLine* right) noexcept;

  Take take_;
  void* arg_;
  Left left_;
  RegionIndex::Mapping waiting_;
  char waiting_path_[128];  ///< Memory with a longer name does not wait
  bool waits_ = false;
};

}  // namespace csink

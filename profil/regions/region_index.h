#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/machine/maps.h"
#include "profil/spool/writer.h"

namespace csink {

/// kRegion* of a mapping with this name.
std::uint32_t RegionFlags(std::string_view path, bool deleted) noexcept;

/// Which region of the spool an address belongs to now. Fed by /proc maps and by
/// the kernel's mapping records; an address that is mapped anew becomes a new
/// region, the old one keeps its record and its name.
///
/// Owns:    a sorted table, all zero at first (160 KiB: keep it in .bss).
/// Threads: one at a time (the collector's lock). Signals: safe.
class RegionIndex {
 public:
  /// What a mapping record says, or a line of maps.
  struct Mapping {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t file_offset = 0;
    std::uint64_t inode = 0;
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t image_start = 0;  ///< Where the ELF header is mapped; 0: not known
    std::uint32_t build_id_bytes = 0;
    std::uint8_t build_id[kMaxBuildIdBytes] = {};
    bool deleted = false;
    std::string_view path;
  };

  /// Region of `pc`, or spool::kNone.
  std::uint32_t Find(std::uint64_t pc) noexcept;

  /// Where the region of a PC lies.
  struct Located {
    std::uint32_t id;
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t file_offset;
  };
  /// False: no mapping that we know of covers `pc`.
  bool Locate(std::uint64_t pc, Located& out) noexcept;
  /// Raised when an address may have come to mean something else.
  std::uint64_t changes() const noexcept { return changes_; }

  /// Takes note of an executable mapping. The same mapping again is nothing new;
  /// one that overlaps others replaces them.
  void Add(SpoolWriter& spool, const Mapping& mapping) noexcept;

  /// Reads /proc/thread-self/maps and adds what is executable; with `wanted`, only
  /// what holds one of these `wanted_count` addresses: a process that ends with a
  /// handful of samples needs no table of all its libraries.
  void ReadMaps(SpoolWriter& spool, const std::uint64_t* wanted = nullptr,
                std::size_t wanted_count = 0) noexcept;

  /// Kernel code lies in the upper half of the addresses, on x86-64 and aarch64.
  static bool IsKernel(std::uint64_t pc) noexcept { return pc >= kKernelStart; }
  static constexpr std::uint64_t kKernelStart = std::uint64_t{1} << 63;
  static constexpr std::string_view kKernelName = "[kernel]";
  /// The one region of all kernel code (made at first use): offsets in it are addresses.
  std::uint32_t Kernel(SpoolWriter& spool) noexcept;

  /// The catch-all region for PCs that no mapping covers (made at first use).
  std::uint32_t Unknown(SpoolWriter& spool) noexcept;

  void Clear() noexcept {
    count_ = 0;
    last_ = 0;
    retired_next_ = 0;
    std::memset(retired_, 0, sizeof retired_);
    has_unknown_ = false;
    ++changes_;
    has_kernel_ = false;
  }
  std::size_t size() const noexcept { return count_; }

 private:
  struct Entry {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t file_offset;
    std::uint64_t path_hash;
    std::uint32_t id;
    std::uint32_t has_build_id;
    std::uint64_t image_start;  ///< As Mapping::image_start
  };
  static constexpr std::size_t kMaxEntries = 4096;
  static constexpr std::size_t kRetired = 256;

  /// Whether memory without a file lies over a part of a loaded module's text: a program that
  /// moves its code to huge pages copies it there. The module's ELF header, still in its place,
  /// tells this from code that a JIT put where a library had been.
  static bool IsRemappedText(SpoolWriter& spool, const Entry& entry,
                             const Mapping& mapping) noexcept;
  std::size_t LowerBound(std::uint64_t pc) const noexcept;
  void Erase(std::size_t from, std::size_t to) noexcept;
  void Insert(std::size_t at, const Entry& entry) noexcept;
  /// The record of the same mapping seen before and replaced since, or kNone: a
  /// plugin that is loaded and unloaded all day is one region.
  std::uint32_t FindRetired(SpoolWriter& spool, const Mapping& mapping,
                            std::uint64_t path_hash) noexcept;

  alignas(MapsReader) unsigned char reader_[sizeof(MapsReader)] = {};
  Entry entries_[kMaxEntries] = {};
  Entry retired_[kRetired] = {};  ///< A ring of the last ones replaced
  std::size_t retired_next_ = 0;
  std::size_t count_ = 0;
  std::size_t last_ = 0;  ///< Hit last: most samples fall where the one before fell
  std::uint64_t changes_ = 0;
  bool has_unknown_ = false;
  std::uint32_t unknown_ = 0;
  bool has_kernel_ = false;
  std::uint32_t kernel_region_ = 0;
};

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/machine/maps.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// The kRegion* flags of a mapping with this path. A path that is no absolute file name is
/// anonymous memory, except "[vdso]". Signals: safe.
std::uint32_t RegionFlags(std::string_view path, bool deleted) noexcept;

/// Finds the region of the spool to which an address belongs now. Fed by /proc/PID/maps and by the
/// kernel's mapping records. An address that is mapped again becomes a new region; the old region
/// keeps its record and path, so that earlier samples stay valid.
///
/// Owns:    a sorted table, zero at first (160 KiB of entries: keep the object in .bss).
/// Threads: one at a time (the collector's lock).
/// Signals: safe; ReadMaps and Add make system calls (reading maps and build-ids).
class RegionIndex {
 public:
  /// The contents of a mapping record or of a line of maps. `path` is borrowed.
  struct Mapping {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t file_offset = 0;
    std::uint64_t inode = 0;
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t image_start = 0;  ///< Address of the mapped ELF header; 0: unknown
    /// 0: unknown; then the mapped image is read
    std::uint32_t build_id_bytes = 0;
    std::uint8_t build_id[kMaxBuildIdBytes] = {};
    /// The file was deleted or replaced
    bool deleted = false;
    std::string_view path;
  };

  /// The region of `pc`, or spool::kNone. No system call. The last hit is tried first.
  std::uint32_t Find(std::uint64_t pc) noexcept;

  /// The bounds of a region.
  struct Located {
    std::uint32_t id;
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t file_offset;
  };
  /// As Find, with the bounds of the mapping. Returns false if no known mapping covers `pc`.
  bool Locate(std::uint64_t pc, Located& out) noexcept;
  /// Increases whenever an address may have changed its meaning. Caches compare it.
  std::uint64_t changes() const noexcept { return changes_; }

  /// Adds an executable mapping, and its region to `spool`. Ignored if it is known already;
  /// replaces the parts of mappings that it overlaps. If the table or the spool is full, the
  /// addresses have no region.
  void Add(SpoolWriter& spool, const Mapping& mapping) noexcept;

  /// Reads /proc/thread-self/maps and adds the executable mappings. With `wanted`, adds only those
  /// that contain one of the `wanted_count` addresses: a process that ends with a few samples needs
  /// no table of all its libraries. Mappings that do not exist any more are not removed. Without
  /// /proc nothing is added.
  void ReadMaps(SpoolWriter& spool, const std::uint64_t* wanted = nullptr,
                std::size_t wanted_count = 0) noexcept;

  /// Kernel code has addresses in the upper half, on x86-64 and aarch64.
  static bool IsKernel(std::uint64_t pc) noexcept { return pc >= kKernelStart; }
  /// The lowest address of the upper half, and the name of the region of all kernel code.
  static constexpr std::uint64_t kKernelStart = std::uint64_t{1} << 63;
  static constexpr std::string_view kKernelName = "[kernel]";
  /// The region of all kernel code, made at first use; kNone: the spool has no room. Its offsets
  /// are addresses.
  std::uint32_t Kernel(SpoolWriter& spool) noexcept;

  /// The region for PCs that no mapping covers, made at first use; kNone: the spool has no room.
  std::uint32_t Unknown(SpoolWriter& spool) noexcept;

  /// Forgets all regions: the next spool has records of its own.
  void Clear() noexcept {
    count_ = 0;
    lost_ = missing_ = 0;
    last_ = 0;
    retired_next_ = 0;
    std::memset(retired_, 0, sizeof retired_);
    has_unknown_ = false;
    ++changes_;
    has_kernel_ = false;
  }
  /// At least how many executable mappings had no room in the table or in the spool.
  std::uint32_t lost() const noexcept { return lost_; }
  /// Number of mappings in the table.
  std::size_t size() const noexcept { return count_; }

 private:
  /// A mapping. `end` 0 marks an unused place among the retired ones.
  struct Entry {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t file_offset;
    std::uint64_t path_hash;
    std::uint32_t id;
    std::uint32_t has_build_id;
    std::uint64_t image_start;  ///< As Mapping::image_start
  };
  /// Executable mappings of a process; and replaced ones that are remembered.
  static constexpr std::size_t kMaxEntries = 4096;
  static constexpr std::size_t kRetired = 256;

  /// Whether memory without a file replaces a part of a loaded module's text: programs copy their
  /// code to huge pages in this way. The module's ELF header, which is still mapped, tells this
  /// from JIT code at the address of an unloaded library.
  static bool IsRemappedText(SpoolWriter& spool, const Entry& entry,
                             const Mapping& mapping) noexcept;
  /// Index of the first entry that ends after `pc`.
  std::size_t LowerBound(std::uint64_t pc) const noexcept;
  /// Removes the entries [from, to) and remembers them as retired.
  void Erase(std::size_t from, std::size_t to) noexcept;
  /// Inserts an entry at its sorted place. Returns false if the table is full.
  bool Insert(std::size_t at, const Entry& entry) noexcept;
  /// The record of the same mapping if it was seen before and replaced, or kNone: so a plugin that
  /// is loaded and unloaded repeatedly is one region.
  std::uint32_t FindRetired(SpoolWriter& spool, const Mapping& mapping,
                            std::uint64_t path_hash) noexcept;

  /// Buffer of ReadMaps, too large for a handler's stack
  alignas(MapsReader) unsigned char reader_[sizeof(MapsReader)] = {};
  Entry entries_[kMaxEntries] = {};
  Entry retired_[kRetired] = {};  ///< Ring of the last replaced entries
  std::size_t retired_next_ = 0;
  std::size_t count_ = 0;
  std::uint32_t lost_ = 0;     ///< See lost
  std::uint32_t missing_ = 0;  ///< Without room in the last reading of maps
  bool reading_ = false;       ///< ReadMaps is at work
  std::size_t last_ = 0;  ///< Last hit: most samples fall into the same region as the one before
  std::uint64_t changes_ = 0;
  bool has_unknown_ = false;
  std::uint32_t unknown_ = 0;
  bool has_kernel_ = false;
  std::uint32_t kernel_region_ = 0;
};

}  // namespace csink

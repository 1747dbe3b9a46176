#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/maps.h"
#include "core/util/unique_fd.h"

namespace csink {

/// Asks the kernel for the mapping at one address, and for its build-id. One query takes 2 us;
/// printing and reading a list of thirty mappings takes 50 us.
///
/// Needs Linux 6.11. The layout and the number of the ioctl are those of PROCMAP_QUERY in the
/// kernel's public header linux/fs.h, repeated here because build machines have older headers.
///
/// Owns:    a descriptor. Threads: one at a time. Signals: safe.
class MapQuery {
 public:
  enum class Answer : unsigned char {
    /// `found` and the name are filled in.
    kFound,
    kNothing,      ///< There is no executable mapping at the address
    kNoRoom,       ///< The name or the build-id is longer than its buffer
    kUnsupported,  ///< An older kernel, or no /proc: the list of mappings must be read
  };
  struct Found {
    MapsLine line;  ///< Without image_start; `path` points into the caller's buffer
    std::uint8_t build_id[kMaxBuildIdBytes];
    std::size_t build_id_bytes;  ///< 0: none
  };

  /// Opens `proc_path`, which is as for ForEachMapping, of this process: "/proc/self/maps" while
  /// the main thread exists. A failure shows at the first Ask, as kUnsupported.
  explicit MapQuery(const char* proc_path) noexcept;

  /// Looks up the executable mapping at `address`. Its name is stored in `name`, which has room for
  /// `name_bytes` bytes with the NUL. `found` is defined only where the answer is kFound.
  Answer Ask(std::uint64_t address, char* name, std::size_t name_bytes, Found& found) noexcept;

 private:
  /// Of the maps file; empty where it could not be opened.
  UniqueFd fd_;
};

}  // namespace csink

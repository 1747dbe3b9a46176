#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine/maps.h"
#include "core/util/unique_fd.h"

namespace csink {

/// Asks the kernel which mapping covers one address, with its build-id: a list of thirty mappings
/// costs 50 us to print and to read, a question 2.
///
/// Needs Linux 6.11. Layout and number of the call: PROCMAP_QUERY in the kernel's public header
/// linux/fs.h, written down here because build machines have older ones.
///
/// Owns: a descriptor. Threads: one at a time. Signals: safe.
class MapQuery {
 public:
  enum class Answer : unsigned char {
    kFound,
    kNothing,      ///< No executable mapping is there
    kNoRoom,       ///< The name is longer than its buffer
    kUnsupported,  ///< An older kernel, no /proc: read the list
  };
  struct Found {
    MapsLine line;  ///< Without image_start; the path lies in the caller's buffer
    std::uint8_t build_id[kMaxBuildIdBytes];
    std::size_t build_id_bytes;  ///< 0: none
  };

  /// `proc_path`: as for ForEachMapping, "/proc/self/maps" where the main thread lives.
  explicit MapQuery(const char* proc_path) noexcept;

  /// The executable mapping at `address`; its name goes to `name`.
  Answer Ask(std::uint64_t address, char* name, std::size_t name_bytes, Found& found) noexcept;

 private:
  UniqueFd fd_;
};

}  // namespace csink

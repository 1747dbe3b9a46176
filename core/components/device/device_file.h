#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/system/system_tree.h"
#include "core/util/result.h"
#include "core/util/unique_fd.h"

namespace csink {

/// A file of /sys or /proc that is read again and again: opened once, read from its start each
/// time. When what is behind it has gone (a driver was unloaded), it is opened anew once. Owns: its
/// descriptor. Threads: one at a time.
class DeviceFile {
 public:
  static constexpr std::size_t kNumberBytes = 64;
  static constexpr std::size_t kTextBytes = 8192;

  /// `most_bytes` of it are read. Errors: kNotFound, kPermission and the like, with the errno.
  static Result<DeviceFile> Open(const SystemTree& tree, std::string_view path,
                                 std::size_t most_bytes = kNumberBytes);

  /// Its first bytes; valid until the next call. Errors: kSystem.
  Result<std::string_view> Text() noexcept;
  /// A decimal number, perhaps negative, alone in the first line. Errors: kCorrupt, kSystem.
  Result<std::int64_t> Number() noexcept;

 private:
  std::string path_;
  UniqueFd fd_;
  std::string text_;
};

}  // namespace csink

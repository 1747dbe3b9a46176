#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/counting/system/system_tree.h"
#include "core/util/result.h"
#include "core/util/unique_fd.h"

/// File: files of the kernel that are read again and again.

namespace csink {

/// A file of /sys or /proc that is read repeatedly: opened once, and read from its start each time.
/// Where its object has gone (a driver was unloaded), the file is opened again once.
///   Result<DeviceFile> file = DeviceFile::Open(tree, "/sys/class/hwmon/hwmon0/temp1_input");
///   if (file) millidegrees = file->Number();
/// Owns:    the descriptor and a buffer. Movable. Threads: one at a time. Signals: not safe.
class DeviceFile {
 public:
  /// Enough for a line with one number.
  static constexpr std::size_t kNumberBytes = 64;
  /// Enough for the beginnings of /proc/stat and /proc/meminfo, which are all that is parsed.
  static constexpr std::size_t kTextBytes = 8192;

  /// Opens a file below the root of `tree`, of which at most `most_bytes` will be read at a time.
  /// Errors: kNotFound, or ErrcFromErrno of open(2), with errno in Error::sys_errno.
  static Result<DeviceFile> Open(const SystemTree& tree, std::string_view path,
                                 std::size_t most_bytes = kNumberBytes);

  /// Reads the file's first bytes, at most as many as Open was given; valid until the next call.
  /// Errors: kSystem (the device is gone).
  Result<std::string_view> Text() noexcept;
  /// The same for a file that the kernel hands out in pieces (those of /proc that are lists): reads
  /// until its end, or until as many bytes as Open was given.
  Result<std::string_view> WholeText() noexcept;
  /// Reads the decimal number, which may be negative, in the first line. Errors: kCorrupt (no
  /// number, or not within 64 bits), kSystem.
  Result<std::int64_t> Number() noexcept;

 private:
  /// For opening it again.
  std::string path_;
  UniqueFd fd_;
  /// The buffer, as long as Open was told.
  std::string text_;
};

}  // namespace csink

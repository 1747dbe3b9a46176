#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/util/result.h"
#include "profil/reader/reader.h"
#include "profil/spool/small_record.h"

/// File: from the bytes of a tree's record file (profil/spool/small_record.h) to
/// spools without a file of their own. The bytes are hostile.

namespace csink::spool {

struct NotFollowed {
  std::uint32_t pid = 0;  ///< Of the process that executed it
  Refusal why = Refusal::kNone;
  std::string path;
};

/// A tree's record file. One process is turned into a spool at a time: a tree may
/// have a hundred thousand.
/// Owns: the bytes. Threads: any, read only.
class SmallRecords {
 public:
  /// Takes whatever bytes; what is no whole record is skipped and counted.
  explicit SmallRecords(std::vector<std::byte> bytes);

  /// Images that left a record; of those that wrote several the last counts.
  std::size_t size() const noexcept { return processes_.size(); }
  /// pid and start_monotonic_ns: tells whether the image has left a spool, too.
  std::pair<std::uint32_t, std::uint64_t> ImageOf(std::size_t index) const;
  /// kExec: the next image of the pid is the same process.
  End EndOf(std::size_t index) const;
  /// As if read from a spool of its own.
  Spool Process(std::size_t index) const;

  const std::vector<NotFollowed>& not_followed() const noexcept { return not_followed_; }
  /// Places at which the file was damaged; what was written there is lost.
  std::size_t torn() const noexcept { return torn_; }

 private:
  std::size_t TakeRecord(std::size_t at);

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> processes_;  ///< Offsets of valid process records
  std::vector<NotFollowed> not_followed_;
  std::size_t torn_ = 0;
};

/// Errors: kNotFound, kPermission, kLimit (larger than kMaxSpoolBytes), kInvalid, kSystem.
Result<SmallRecords> ReadSmallFile(const std::string& path);

/// True when `path` is called like a tree's record file.
bool IsSmallFile(const std::string& path);

}  // namespace csink::spool

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/util/result.h"
#include "profil/format/small_record.h"
#include "profil/reading/reader/reader.h"

/// File: converts the records of a tree's record file (profil/format/small_record.h) to Spool
/// objects, so that a merge needs no other code for small processes. The bytes are not trusted:
/// each record has a checksum, and its counts are compared with its size.

namespace csink::spool {

/// A program that a process of the tree executed and that could not be profiled.
struct NotFollowed {
  std::uint32_t pid = 0;  ///< Pid of the process that executed it
  /// As the agent wrote it; may be unknown to this version
  Refusal why = Refusal::kNone;
  std::string path;
  std::uint64_t monotonic_ns = 0;  ///< Before the exec; 0 in records of older agents
};

/// A tree's record file. Only one process at a time is converted to a Spool: a tree may have
/// 100,000 processes.
/// Owns:    the bytes.
/// Threads: any, read only.
class SmallRecords {
 public:
  /// Accepts any bytes. Bytes that are not a complete record are skipped and counted.
  explicit SmallRecords(std::vector<std::byte> bytes);

  /// Number of images with a record. If an image has several records, the last one counts.
  std::size_t size() const noexcept { return processes_.size(); }
  /// pid and start_monotonic_ns of a process, which identify an image. A spool of the same image
  /// takes precedence over the record.
  std::pair<std::uint32_t, std::uint64_t> ImageOf(std::size_t index) const;
  /// kExec: the next image with this pid is the same process.
  End EndOf(std::size_t index) const;
  /// The process's record as a spool, with regions, the main thread and its samples. `index` <
  /// size().
  Spool Process(std::size_t index) const;

  /// The programs that could not be followed, in the order of the file, with repetitions.
  const std::vector<NotFollowed>& not_followed() const noexcept { return not_followed_; }
  /// Ends of children, by record.
  const std::vector<std::pair<SmallChildEnds, std::vector<SmallChildEnd>>>& child_ends()
      const noexcept {
    return child_ends_;
  }
  /// Processes that left no samples, each with the path of its program.
  const std::vector<std::pair<SmallLeftOut, std::string>>& left_out() const noexcept {
    return left_out_;
  }
  /// Processes that their parents know by another number.
  const std::vector<SmallNumbers>& numbers() const noexcept { return numbers_; }
  /// The records that are of no process, in the order of the file. Views into the bytes.
  std::vector<std::string_view> Facts() const;
  /// The tree that the records belong to, if a process says it; 0: not known.
  std::uint64_t TreeId() const;
  /// CPU time of the csink-attach processes of the tree, ns.
  std::uint64_t outside_ns() const noexcept { return outside_ns_; }
  /// Number of damaged places in the file. Records written there are lost.
  std::size_t torn() const noexcept { return torn_; }
  /// Size of the file up to the end of its last complete record. What is behind may still grow.
  std::size_t complete_bytes() const noexcept { return complete_bytes_; }
  /// Number of undamaged records of another format version, which are not read, and the version of
  /// the last one; 0: none.
  std::size_t other_records() const noexcept { return other_records_; }
  std::uint32_t other_version() const noexcept { return other_version_; }

 private:
  /// Checks the record at `at` and notes it. Returns its size; 0: there is no complete record.
  std::size_t TakeRecord(std::size_t at);
  /// Notes a record that is not of a process. False: its size does not fit its kind.
  bool TakeFact(const std::byte* record, const SmallHead& head);

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> processes_;                      ///< Offsets of valid process records
  std::vector<std::pair<std::size_t, std::size_t>> facts_;  ///< Offset and size of the others
  std::vector<NotFollowed> not_followed_;
  std::vector<std::pair<SmallChildEnds, std::vector<SmallChildEnd>>> child_ends_;
  std::vector<std::pair<SmallLeftOut, std::string>> left_out_;
  std::vector<SmallNumbers> numbers_;
  std::uint64_t outside_ns_ = 0;
  std::size_t torn_ = 0;
  std::size_t complete_bytes_ = 0;
  std::size_t other_records_ = 0;
  std::uint32_t other_version_ = 0;
};

/// The records of several files that are of no process, each once. Threads: one.
class UniqueFacts {
 public:
  void Add(const SmallRecords& records);
  /// One behind the other, as a SmallRecords takes them.
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::set<std::string> known_;
};

/// Reads and checks a record file. Errors: kNotFound, kPermission, kLimit (larger than
/// kMaxSpoolBytes), kInvalid, kSystem.
/// `offset`: where a record begins; only those from there on are read.
Result<SmallRecords> ReadSmallFile(const std::string& path, std::uint64_t offset = 0);

/// Whether `path` has the name of a tree's record file.
bool IsSmallFile(const std::string& path);

}  // namespace csink::spool

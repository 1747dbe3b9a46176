#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/names/bytes/bytes.h"

/// File: one source file in memory, and its lines as they are shown.

namespace csink::annotate {

/// A text file and the positions of its lines. The whole file is read at once, because its digest
/// needs all bytes.
/// Owns:    its bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class SourceFile {
 public:
  /// Reads a file.
  /// Errors: kNoEvent (no such file), kPermission, kInvalid (not a regular file, or contains NUL
  /// bytes and is not text), kLimit (more than kMostBytes), kSystem (among others: the file became
  /// shorter while it was read).
  static Result<SourceFile> Open(const std::string& path);
  /// From now on refuses files that not every user may read. For a profile with spools of other
  /// users: a module of theirs may name any file as its source, and the lines would stand in a
  /// report that they may be able to read.
  static void ReadPublicFilesOnly();
  /// From now on opens files with the rights of this user, without the groups of this process. For
  /// root's report of the programs of one other user: a program's debug information may name any
  /// file. This process must be root; where its rights cannot be given up, no file is opened.
  static void ReadWithRightsOf(std::uint32_t user);
  /// Larger files are refused: 64 MiB, far more than any source file that people read.
  static constexpr std::uint64_t kMostBytes = 64u << 20;

  /// Bytes of the file.
  std::uint64_t size() const { return bytes_.size(); }
  /// Number of lines. A last line without a newline counts.
  std::size_t lines() const { return starts_.size(); }
  /// Line `number`, counted from 1, without its end (LF or CR LF). Empty for 0 and behind the last
  /// line. Valid as long as the object.
  std::string_view Line(std::size_t number) const;
  /// Modification time in seconds since 1970, for comparison with the line table and the module. 0
  /// if it is not known.
  std::int64_t changed() const { return changed_; }
  /// MD5 of the whole file, for comparison with SourceFacts::digest. Computed at each call.
  std::array<std::uint8_t, 16> Digest() const;

 private:
  explicit SourceFile(symbolizer::Buffer bytes) : bytes_(std::move(bytes)) {}
  symbolizer::Buffer bytes_;
  /// Offset of the first byte of each line.
  std::vector<std::size_t> starts_;
  std::int64_t changed_ = 0;
};

/// A line as it is shown: tabs are expanded to multiples of 8 columns, control characters and bytes
/// that are not UTF-8 become '?'. Only the first kMostLineBytes bytes of the line are used.
std::string ShownLine(std::string_view line);
/// Limit for generated sources, whose lines may have megabytes.
inline constexpr std::size_t kMostLineBytes = 2048;

}  // namespace csink::annotate

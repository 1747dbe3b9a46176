#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/bytes/bytes.h"

namespace csink::annotate {

/// A text file and the positions of its lines.
/// Owns:    its bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class SourceFile {
 public:
  /// Errors: kNoEvent (no such file), kPermission, kInvalid (not a regular file, or contains NUL
  /// bytes and is not text), kLimit (more than kMostBytes), kSystem.
  static Result<SourceFile> Open(const std::string& path);
  static constexpr std::uint64_t kMostBytes = 64u << 20;

  std::uint64_t size() const { return bytes_.size(); }
  std::size_t lines() const { return starts_.size(); }
  /// Line `number`, counted from 1, without its end (LF or CR LF). Empty behind the last line.
  std::string_view Line(std::size_t number) const;
  /// Modification time, seconds since 1970.
  std::int64_t changed() const { return changed_; }
  /// MD5 of the whole file, for comparison with SourceFacts::digest.
  std::array<std::uint8_t, 16> Digest() const;

 private:
  explicit SourceFile(symbolizer::Buffer bytes) : bytes_(std::move(bytes)) {}
  symbolizer::Buffer bytes_;
  std::vector<std::size_t> starts_;
  std::int64_t changed_ = 0;
};

/// A line as it is shown: tabs are expanded to multiples of 8, control characters and bytes that
/// are not UTF-8 become '?', and the line is cut at kMostLineBytes.
std::string ShownLine(std::string_view line);
inline constexpr std::size_t kMostLineBytes = 2048;

}  // namespace csink::annotate

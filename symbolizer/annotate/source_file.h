#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/bytes/bytes.h"

namespace csink::annotate {

/// A text file as its lines.
/// Owns:    its bytes. Movable, not copyable.
/// Threads: const functions from any thread.
class SourceFile {
 public:
  /// Errors: kNoEvent (no such file), kPermission, kInvalid (no regular file, or no text: it has
  /// NUL bytes), kLimit (more than kMostBytes), kSystem.
  static Result<SourceFile> Open(const std::string& path);
  static constexpr std::uint64_t kMostBytes = 64u << 20;

  std::uint64_t size() const { return bytes_.size(); }
  std::size_t lines() const { return starts_.size(); }
  /// From 1; without its end (LF or CR LF). Empty behind the last.
  std::string_view Line(std::size_t number) const;
  /// Last change, seconds since 1970.
  std::int64_t changed() const { return changed_; }
  std::array<std::uint8_t, 16> Digest() const;

 private:
  explicit SourceFile(symbolizer::Buffer bytes) : bytes_(std::move(bytes)) {}
  symbolizer::Buffer bytes_;
  std::vector<std::size_t> starts_;
  std::int64_t changed_ = 0;
};

/// A line fit to be shown: tabs are blanks up to the next multiple of 8, control characters and
/// bytes that are not UTF-8 are '?', and no more than kMostLineBytes of it.
std::string ShownLine(std::string_view line);
inline constexpr std::size_t kMostLineBytes = 2048;

}  // namespace csink::annotate

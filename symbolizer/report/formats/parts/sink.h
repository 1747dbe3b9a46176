#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/util/result.h"

/// File: the output of the writers. A report of 200,000 places with stacks has hundreds of
/// megabytes as text and is never in memory as a whole.

namespace csink::report {

/// Writes the next bytes of a file. Called with at least one byte.
using Flush = std::function<Result<void>(std::string_view bytes)>;

/// Collects bytes and passes them on in pieces of about 64 KiB. After the first error nothing is
/// passed on; Finish returns that error, so that writers need not check each piece.
/// Threads: one at a time.
class Sink {
 public:
  /// What `flush` refers to must outlive the sink. Finish must be called: the destructor passes
  /// nothing on.
  explicit Sink(Flush flush) : flush_(std::move(flush)) { buffer_.reserve(kPiece); }

  /// Appends text. A text that is larger than a piece is passed on without being copied.
  Sink& operator<<(std::string_view text) {
    if (buffer_.size() + text.size() > kPiece) Drain();
    if (text.size() > kPiece) {
      Hand(text);
    } else {
      buffer_ += text;
    }
    return *this;
  }
  /// One byte.
  Sink& operator<<(char c) {
    if (buffer_.size() == kPiece) Drain();
    buffer_ += c;
    return *this;
  }
  Sink& operator<<(std::uint64_t number);  ///< A decimal number
  Sink& Hex(std::uint64_t number);         ///< "401a0c", without 0x

  /// Passes on the rest. Errors: the first one of Flush.
  Result<void> Finish() {
    Drain();
    return result_;
  }

 private:
  /// Bytes that are collected before they are passed on.
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  /// Passes on what was collected.
  void Drain() {
    Hand(buffer_);
    buffer_.clear();
  }
  /// Passes on bytes, unless an earlier piece could not be written.
  void Hand(std::string_view bytes) {
    if (result_ && !bytes.empty()) result_ = flush_(bytes);
  }

  Flush flush_;
  std::string buffer_;
  /// The first error.
  Result<void> result_;
};

}  // namespace csink::report

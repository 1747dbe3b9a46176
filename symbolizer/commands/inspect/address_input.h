#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// File: the standard input of `csink symbolize`.

namespace csink::tool {

/// Reads addresses from a descriptor: hexadecimal numbers, one per line, with or without 0x. Blanks
/// around a number, carriage returns and empty lines are allowed.
///
/// A program that writes an address to a pipe and waits for the answer must not be blocked. So all
/// input that is available is one batch, and the reader waits only if the batch is empty.
/// Owns:    its buffer, not the descriptor.
/// Threads: one at a time.
class AddressInput {
 public:
  /// `fd` stays open and belongs to the caller.
  explicit AddressInput(int fd) : fd_(fd) {}

  /// Waits for input, then fills `addresses` with everything that can be read without waiting
  /// again, at most about a million. Returns false if the input has ended, or is not valid
  /// (problem); addresses before an invalid line are returned first.
  bool Next(std::vector<std::uint64_t>& addresses);

  /// Why Next stopped before the end of the input. Empty if it did not.
  const std::string& problem() const { return problem_; }

 private:
  /// Reads once, waits if nothing is there, and takes the complete lines.
  void Read(std::vector<std::uint64_t>& addresses);
  /// Takes the complete lines of pending_.
  void TakeLines(std::vector<std::uint64_t>& addresses);
  /// Takes one line; an empty one is ignored, another one must be an address.
  void TakeLine(std::string_view line, std::vector<std::uint64_t>& addresses);
  /// Whether more input comes within two milliseconds.
  bool HasMore() const;
  /// Ends the input with a problem that shows the beginning of the line.
  void RefuseLine(std::string_view line);
  /// Ends the input with this problem.
  void Refuse(std::string problem);

  int fd_;
  /// At the end of the input and after a problem.
  bool has_ended_ = false;
  std::string pending_;  ///< Read, but not yet parsed: the beginning of a line
  std::string problem_;
};

}  // namespace csink::tool

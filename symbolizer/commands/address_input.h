#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace csink::tool {

/// Addresses from a descriptor: hexadecimal numbers, one a line, with or without 0x. Blanks around
/// a number, carriage returns and empty lines are allowed.
///
/// The reader of a pipe must not wait for its end before it answers: what is there is taken as one
/// batch, and only an empty batch waits for more.
/// Threads: one at a time.
class AddressInput {
 public:
  /// `fd` stays open and belongs to the caller.
  explicit AddressInput(int fd) : fd_(fd) {}

  /// Waits for input, then fills `addresses` with all that can be had without waiting again. False:
  /// the input has ended, or it cannot be used any further (problem).
  bool Next(std::vector<std::uint64_t>& addresses);

  /// Why Next ended before the input did; empty: it did not.
  const std::string& problem() const { return problem_; }

 private:
  void Read(std::vector<std::uint64_t>& addresses);
  void TakeLines(std::vector<std::uint64_t>& addresses);
  void TakeLine(std::string_view line, std::vector<std::uint64_t>& addresses);
  bool HasMore() const;
  void RefuseLine(std::string_view line);
  void Refuse(std::string problem);

  int fd_;
  bool has_ended_ = false;
  std::string pending_;  ///< Read, and not yet taken: the beginning of a line
  std::string problem_;
};

}  // namespace csink::tool

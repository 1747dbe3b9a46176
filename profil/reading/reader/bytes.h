#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profil/reading/reader/reader.h"

/// File: helpers shared by the parts of the reader. Callers of Load must check the offset; TextAt
/// checks it itself.

namespace csink::spool {

/// Number of different problems that are reported for a file; the first ones are kept.
inline constexpr std::size_t kMaxProblems = 8;

/// Adds a line to spool.problems, unless it is there already or kMaxProblems are: a damaged file
/// may give the same problem a million times.
inline void AddProblem(Spool& spool, std::string text) {
  if (spool.problems.size() >= kMaxProblems) return;
  if (std::find(spool.problems.begin(), spool.problems.end(), text) == spool.problems.end()) {
    spool.problems.push_back(std::move(text));
  }
}

/// Copies a T from `offset`; offset + sizeof(T) must be at most bytes.size(). A copy, because
/// records may be misaligned in a damaged file.
template <class T>
T Load(const std::vector<std::byte>& bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// As Load, for a record of `bytes` bytes: fields behind them, which the writer did not know, are
/// 0.
template <class T>
T LoadShorter(const std::vector<std::byte>& from, std::uint64_t offset, std::uint32_t bytes) {
  T value{};
  std::memcpy(&value, from.data() + offset, bytes < sizeof value ? bytes : sizeof value);
  return value;
}

/// Makes a fixed text of the file end with a NUL, whatever the file has there. The last byte of a
/// text that fills its field is lost; writers cut texts to leave room for the NUL.
template <std::size_t N>
void Terminate(char (&text)[N]) {
  text[N - 1] = 0;
}

/// A text of at most `most` bytes at `offset`, as a view into spool.bytes. If it does not lie
/// within the first `limit` bytes: empty, and `problem` is recorded. The text may contain any
/// bytes, also NULs; whoever prints it replaces those (report/wording/shorten.h, Printable).
inline std::string_view TextAt(Spool& spool, std::uint64_t offset, std::uint32_t bytes,
                               std::uint64_t limit, std::uint32_t most, const char* problem) {
  if (bytes > most || offset > limit || bytes > limit - offset) {
    AddProblem(spool, problem);
    return {};
  }
  return {reinterpret_cast<const char*>(spool.bytes.data()) + offset, bytes};
}

}  // namespace csink::spool

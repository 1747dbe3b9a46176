#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profil/reader/reader.h"

/// File: what the parts of the reader share. Offsets are checked by who calls Load; TextAt
/// checks its own.

namespace csink::spool {

/// Kinds of damage that are told apart; a file with more says the first ones.
inline constexpr std::size_t kMaxProblems = 8;

inline void AddProblem(Spool& spool, std::string text) {
  if (spool.problems.size() >= kMaxProblems) return;
  if (std::find(spool.problems.begin(), spool.problems.end(), text) == spool.problems.end()) {
    spool.problems.push_back(std::move(text));
  }
}

template <class T>
T Load(const std::vector<std::byte>& bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <std::size_t N>
void Terminate(char (&text)[N]) {
  text[N - 1] = 0;
}

/// A text in the file, of at most `most` bytes. Empty with `problem` noted when it does not lie
/// within the first `limit` bytes.
inline std::string_view TextAt(Spool& spool, std::uint64_t offset, std::uint32_t bytes,
                               std::uint64_t limit, std::uint32_t most, const char* problem) {
  if (bytes > most || offset > limit || bytes > limit - offset) {
    AddProblem(spool, problem);
    return {};
  }
  return {reinterpret_cast<const char*>(spool.bytes.data()) + offset, bytes};
}

}  // namespace csink::spool

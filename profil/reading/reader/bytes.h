#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profil/format/records.h"
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

/// Makes a fixed text of the file end with a NUL, whatever the file has there. The last byte of a
/// text that fills its field is lost; writers cut texts to leave room for the NUL.
template <std::size_t N>
void Terminate(char (&text)[N]) {
  text[N - 1] = 0;
}

/// Makes the fields valid that need nothing else for it: texts end, and numbers are finite, because
/// one that is not would spoil every sum. Other fields may have any value.
template <class T>
void Clean(T& record) {
  FieldsOf<T>::Each(record, [](auto& field, const char*, auto role) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (role() == FieldRole::kText) {
      Terminate(field);
    } else if constexpr (role() == FieldRole::kReal) {
      if (!std::isfinite(field)) field = 0;
    } else if constexpr (role() == FieldRole::kSquare) {
      // Users take its root and divide by it.
      if (!std::isfinite(field) || field < 0) field = 0;
    } else if constexpr (std::is_class_v<std::remove_extent_t<Field>>) {
      if constexpr (std::is_array_v<Field>) {
        for (auto& part : field) Clean(part);
      } else {
        Clean(field);
      }
    }
  });
}

/// Where a record of type T is in the file. The reader has compared its size with that of its kind
/// (LeastBytes) and with the bytes that there are.
template <class T>
struct StoredRecord {
  std::uint64_t offset;
  std::uint32_t bytes;  ///< With what follows the structure
  std::uint64_t limit;  ///< End of the readable part of the file

  /// The structure as it is, with 0 in fields that an older writer did not know.
  T Load(const std::vector<std::byte>& file) const {
    if constexpr (KindOf<T>::kLeastBytes == sizeof(T)) return spool::Load<T>(file, offset);
    T value{};
    std::memcpy(&value, file.data() + offset, std::min<std::size_t>(bytes, sizeof value));
    return value;
  }
  T LoadClean(const Spool& spool) const {
    T value = Load(spool.bytes);
    Clean(value);
    return value;
  }
  /// Appends the counts that follow to spool.counts. Returns the index of the first one.
  std::size_t KeepCounts(Spool& spool) const {
    const std::size_t first = spool.counts.size();
    for (std::uint32_t i = 0; i < spool.header.event_count; ++i) {
      spool.counts.push_back(
          spool::Load<Count>(spool.bytes, offset + sizeof(T) + i * sizeof(Count)));
    }
    return first;
  }
  /// A structure behind the counts of `events` events; zero if the record of an older writer ends
  /// before.
  template <class Tail>
  Tail LoadTail(const std::vector<std::byte>& file, std::uint32_t events) const {
    const std::size_t before =
        BytesWithCounts<T>(events) + KindOf<T>::Tails::template Before<Tail>();
    if (bytes < before + sizeof(Tail)) return {};
    return spool::Load<Tail>(file, offset + before);
  }
};

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

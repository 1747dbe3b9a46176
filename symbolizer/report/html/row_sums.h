#pragma once

#include <cstdint>
#include <vector>

#include "profil/reading/model/flat_index.h"
#include "symbolizer/report/html/sample_rows.h"

/// File: hashes of the page's rows and lines, and sums by row.

namespace csink::report {

inline std::uint64_t HashOf(const SampleRow& row) noexcept {
  return Mix(
      Mix(std::uint64_t{row.function} << 32 | row.line, std::uint64_t{row.node} << 32 | row.thread),
      row.phase);
}
inline std::uint64_t HashOf(const PageLine& line) noexcept {
  return Mix(Mix(HashOfEnd(line.file), HashOfEnd(line.function)),
             std::uint64_t{line.line} << 32 | line.module);
}
inline std::uint64_t HashOf(const PageModule& module) noexcept {
  return Mix(HashOfEnd(module.name), HashOfEnd(module.path));
}

inline std::uint64_t HashOf(const PageInlined& inlined) noexcept {
  return Mix(HashOfEnd(inlined.function), HashOfEnd(inlined.module));
}

/// A table whose elements have indices: equal elements have one.
template <class Element>
class Interned {
 public:
  explicit Interned(std::vector<Element>& elements) : elements_(elements) {}
  std::uint32_t Of(const Element& element) {
    const std::uint32_t at =
        index_.FindOrAdd(HashOf(element), elements_.size(),
                         [&](std::uint32_t i) { return elements_[i] == element; });
    if (at == elements_.size()) elements_.push_back(element);
    return at;
  }

 private:
  std::vector<Element>& elements_;
  FlatIndex index_;
};

/// Sums counts by row, in the order in which rows are met.
class RowSums {
 public:
  explicit RowSums(std::size_t events) : events_(events), index_(rows_) {}
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;
  /// Adds `counts`, one for each event.
  void Add(const SampleRow& row, const EventCount* counts);
  std::vector<SampleRow>& rows() { return rows_; }
  std::vector<EventCount>& counts() { return counts_; }

 private:
  std::size_t events_;
  std::vector<SampleRow> rows_;
  std::vector<EventCount> counts_;
  Interned<SampleRow> index_;
};

}  // namespace csink::report

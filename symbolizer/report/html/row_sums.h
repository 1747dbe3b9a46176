#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolizer/report/html/sample_rows.h"

/// File: hashes of the page's rows and lines, and sums by row.

namespace csink::report {

/// Mixes a number into a hash. The multiplier is 2^64 divided by the golden ratio.
constexpr std::uint64_t Mix(std::uint64_t hash, std::uint64_t number) noexcept {
  return (hash ^ number) * 0x9e3779b97f4a7c15ull ^ (hash >> 29);
}
struct PageHash {
  std::size_t operator()(const SampleRow& row) const noexcept {
    return Mix(Mix(std::uint64_t{row.function} << 32 | row.line,
                   std::uint64_t{row.node} << 32 | row.thread),
               row.phase);
  }
  std::size_t operator()(const PageLine& line) const noexcept {
    const std::hash<std::string_view> text;
    return Mix(Mix(text(line.file), text(line.function)),
               std::uint64_t{line.line} << 32 | line.module);
  }
  std::size_t operator()(const PageModule& module) const noexcept {
    const std::hash<std::string_view> text;
    return Mix(text(module.name), text(module.path));
  }
};

/// Sums counts by row, in the order in which rows are met.
class RowSums {
 public:
  explicit RowSums(std::size_t events) : events_(events) {}
  /// Adds `counts`, one for each event.
  void Add(const SampleRow& row, const EventCount* counts);
  std::vector<SampleRow>& rows() { return rows_; }
  std::vector<EventCount>& counts() { return counts_; }

 private:
  std::size_t events_;
  std::vector<SampleRow> rows_;
  std::vector<EventCount> counts_;
  std::unordered_map<SampleRow, std::uint32_t, PageHash> index_;
};

/// A table whose elements have indices: equal elements have one.
template <class Element>
class Interned {
 public:
  explicit Interned(std::vector<Element>& elements) : elements_(elements) {}
  std::uint32_t Of(const Element& element) {
    const auto [it, is_new] = index_.emplace(element, static_cast<std::uint32_t>(elements_.size()));
    if (is_new) elements_.push_back(element);
    return it->second;
  }

 private:
  std::vector<Element>& elements_;
  std::unordered_map<Element, std::uint32_t, PageHash> index_;
};

}  // namespace csink::report

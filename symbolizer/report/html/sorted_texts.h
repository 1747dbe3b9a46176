#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

/// File: texts that the page's tables refer to by index.

namespace csink::report {

/// Texts, each once, in the order of their bytes: the page sorts by name without comparing texts.
/// Owns:    views alone; the texts must outlive it.
class SortedTexts {
 public:
  void Add(std::string_view text) { texts_.push_back(text); }
  /// Call after the last Add and before Of.
  void Finish() {
    std::sort(texts_.begin(), texts_.end());
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    index_.reserve(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      index_.emplace(texts_[i], static_cast<std::uint32_t>(i));
    }
  }
  /// The index of a text that was added.
  std::uint32_t Of(std::string_view text) const { return index_.at(text); }
  const std::vector<std::string_view>& all() const { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

}  // namespace csink::report

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "profil/reading/model/flat_index.h"

/// File: texts that the page's tables refer to by index.

namespace csink::report {

/// Texts, each once, in the order of their bytes: the page sorts by name without comparing texts.
/// Owns:    views alone; the texts must outlive it.
class SortedTexts {
 public:
  void Add(std::string_view text) {
    const std::uint32_t id = index_.FindOrAdd(HashOfEnd(text), added_.size(), IsText{added_, text});
    if (id == added_.size()) added_.push_back(text);
  }
  /// Call after the last Add and before Of.
  void Finish() {
    std::vector<std::uint32_t> order(added_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return added_[a] < added_[b]; });
    place_.resize(order.size());
    sorted_.reserve(order.size());
    for (const std::uint32_t id : order) {
      place_[id] = static_cast<std::uint32_t>(sorted_.size());
      sorted_.push_back(added_[id]);
    }
  }
  /// The index of a text that was added.
  std::uint32_t Of(std::string_view text) const {
    return place_[index_.Find(HashOfEnd(text), IsText{added_, text})];
  }
  const std::vector<std::string_view>& all() const { return sorted_; }

 private:
  struct IsText {
    const std::vector<std::string_view>& texts;
    std::string_view text;
    bool operator()(std::uint32_t id) const { return texts[id] == text; }
  };

  std::vector<std::string_view> added_;  ///< Each once
  std::vector<std::uint32_t> place_;     ///< Of each element of added_ in sorted_
  std::vector<std::string_view> sorted_;
  FlatIndex index_;
};

}  // namespace csink::report

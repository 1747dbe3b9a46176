#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// File: the table of strings of pprof's and Firefox Profiler's formats.

namespace csink::report {

/// Each string once; number 0 is the empty string, as pprof demands.
/// Owns:    the strings that were given to Keep; the others must outlive the table.
/// Threads: one at a time.
class Strings {
 public:
  Strings() { Id(""); }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  /// The number of a text that lives as long as this object.
  std::uint64_t Id(std::string_view text) {
    const auto [it, is_new] = ids_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return it->second;
  }
  /// The same for a temporary text. A deque does not move its elements, so references stay valid.
  std::uint64_t Keep(std::string text) {
    const auto known = ids_.find(text);
    return known != ids_.end() ? known->second : Id(kept_.emplace_back(std::move(text)));
  }
  /// All strings, by number.
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::deque<std::string> kept_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::uint64_t> ids_;
};

}  // namespace csink::report

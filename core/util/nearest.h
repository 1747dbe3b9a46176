#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/parse.h"

namespace csink {

/// Finds the names that somebody probably meant: those within an edit distance
/// of max(2, a third of the length), the closest first, and after them those that
/// only go on where the wanted text (of three bytes or more) ends. Case does not matter.
/// Borrows: the candidates must outlive the answer.
/// Signals: safe.
template <std::size_t N>
class NearestNames {
 public:
  explicit NearestNames(std::string_view wanted) noexcept
      : wanted_(wanted), cap_(static_cast<unsigned>(wanted.size() < 6 ? 2 : wanted.size() / 3)) {}

  void Offer(std::string_view candidate) noexcept {
    unsigned distance = EditDistance(wanted_, candidate, cap_);
    if (distance > cap_ && !IsBeginningOf(candidate)) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (EditDistance(names_[i], candidate, 0) == 0) return;  // an alias in another case
    }
    std::size_t at = count_;
    while (at > 0 && distance < distances_[at - 1]) --at;
    if (at == N) return;
    std::size_t i = count_ < N ? count_++ : N - 1;
    for (; i > at && i < N; --i) {
      names_[i] = names_[i - 1];
      distances_[i] = distances_[i - 1];
    }
    names_[at] = candidate;
    distances_[at] = distance;
  }

  std::size_t count() const noexcept { return count_; }
  std::string_view operator[](std::size_t i) const noexcept { return names_[i]; }

 private:
  bool IsBeginningOf(std::string_view candidate) const noexcept {
    return wanted_.size() >= 3 && candidate.size() > wanted_.size() &&
           EditDistance(wanted_, std::string_view(candidate.data(), wanted_.size()), 0) == 0;
  }

  std::string_view wanted_;
  unsigned cap_;
  std::size_t count_ = 0;
  std::string_view names_[N];
  unsigned distances_[N] = {};
};

/// The one candidate that was probably meant; empty: none comes close.
inline std::string_view NearestName(std::string_view wanted, const std::string_view* candidates,
                                    std::size_t count) noexcept {
  NearestNames<1> nearest(wanted);
  for (std::size_t i = 0; i < count; ++i) nearest.Offer(candidates[i]);
  return nearest.count() != 0 ? nearest[0] : std::string_view();
}

}  // namespace csink

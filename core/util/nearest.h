#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/parse.h"

namespace csink {

/// Finds the names that a misspelt name may stand for. A candidate is kept when its edit distance
/// to the wanted name is at most 2, or a third of the wanted name's length where that is more; or
/// when it begins with the wanted name (of three bytes or more). The closest candidates come first,
/// at most N. Upper and lower case are equal.
/// Borrows: the wanted name and the candidates must outlive this object. Threads: one. Signals:
/// safe.
template <std::size_t N>
class NearestNames {
 public:
  explicit NearestNames(std::string_view wanted) noexcept
      : wanted_(wanted), cap_(static_cast<unsigned>(wanted.size() < 6 ? 2 : wanted.size() / 3)) {}

  /// Offers one candidate. A candidate that differs from a kept one in case alone is ignored.
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

  /// The number of names kept (at most N), and the i-th closest of them.
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

/// The candidate that is closest to `wanted`; empty: no candidate is close enough (NearestNames).
/// Signals: safe.
inline std::string_view NearestName(std::string_view wanted, const std::string_view* candidates,
                                    std::size_t count) noexcept {
  NearestNames<1> nearest(wanted);
  for (std::size_t i = 0; i < count; ++i) nearest.Offer(candidates[i]);
  return nearest.count() != 0 ? nearest[0] : std::string_view();
}

}  // namespace csink

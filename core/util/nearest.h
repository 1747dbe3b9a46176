#pragma once

#include <cstddef>
#include <string_view>

#include "core/util/parse.h"

namespace csink {

/// Finds the names that a misspelt name may stand for. A candidate is kept when its edit distance
/// to the wanted name is at most 2, or a third of the wanted name's length where that is more; or
/// when it begins with the wanted name (of three bytes or more). The closest candidates come first,
/// at most N. Upper and lower case are equal.
///   NearestNames<2> nearest("cycels");
///   for (const EventAlias& alias : aliases) nearest.Offer(alias.name);
///   if (nearest.count() != 0) Suggest(nearest[0]);
/// Borrows: the wanted name and the candidates must outlive this object. Threads: one. Signals:
/// safe.
template <std::size_t N>
class NearestNames {
 public:
  /// `wanted`: the name as the user wrote it.
  explicit NearestNames(std::string_view wanted) noexcept
      : wanted_(wanted), cap_(static_cast<unsigned>(wanted.size() < 6 ? 2 : wanted.size() / 3)) {}

  /// Offers one candidate. A candidate that differs from a kept one in case alone is ignored. Among
  /// candidates of the same distance those that were offered first stay first, so the caller's
  /// order (of a table, of a PMU's events) decides. Names are compared up to their first 64 bytes
  /// (EditDistance).
  void Offer(std::string_view candidate) noexcept {
    // Above the limit the exact distance does not matter: EditDistance then returns cap_ + 1, so
    // that names which only begin alike stand behind all near ones.
    unsigned distance = EditDistance(wanted_, candidate, cap_);
    if (distance > cap_ && !IsBeginningOf(candidate)) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (EditDistance(names_[i], candidate, 0) == 0) return;  // an alias in another case
    }
    std::size_t at = count_;
    while (at > 0 && distance < distances_[at - 1]) --at;
    // Insertion into a sorted array of at most N: the last name falls out where the array is full.
    if (at == N) return;
    std::size_t i = count_ < N ? count_++ : N - 1;
    for (; i > at && i < N; --i) {
      names_[i] = names_[i - 1];
      distances_[i] = distances_[i - 1];
    }
    names_[at] = candidate;
    distances_[at] = distance;
  }

  /// The number of names kept (at most N).
  std::size_t count() const noexcept { return count_; }
  /// The i-th closest name, from 0; `i` must be below count(). It points to the candidate's bytes.
  std::string_view operator[](std::size_t i) const noexcept { return names_[i]; }

 private:
  /// Whether the wanted name is the beginning of `candidate`, in any case. Such a candidate is kept
  /// at any distance ("INST_RET" of "INST_RETIRED_AND_MORE"), behind those within the limit.
  bool IsBeginningOf(std::string_view candidate) const noexcept {
    return wanted_.size() >= 3 && candidate.size() > wanted_.size() &&
           EditDistance(wanted_, std::string_view(candidate.data(), wanted_.size()), 0) == 0;
  }

  /// The name as the user wrote it.
  std::string_view wanted_;
  /// Largest edit distance of a near name.
  unsigned cap_;
  /// names_[0 .. count_) are sorted by distance; distances_ are theirs.
  std::size_t count_ = 0;
  std::string_view names_[N];
  unsigned distances_[N] = {};
};

/// The candidate that is closest to `wanted`, of `count` names at `candidates`. Empty if no
/// candidate is close enough (NearestNames). Of equally close candidates the first one.
/// Threads: any. Signals: safe.
inline std::string_view NearestName(std::string_view wanted, const std::string_view* candidates,
                                    std::size_t count) noexcept {
  NearestNames<1> nearest(wanted);
  for (std::size_t i = 0; i < count; ++i) nearest.Offer(candidates[i]);
  return nearest.count() != 0 ? nearest[0] : std::string_view();
}

}  // namespace csink

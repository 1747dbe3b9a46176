#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace csink::agent {

/// The number of a release of the GNU C library as in spool::WaitObserver::glibc, from a text that
/// begins with it: "2.36", "2.36.9000". 0: no such text. Signals: safe.
constexpr std::uint32_t GlibcRelease(std::string_view text) noexcept {
  std::uint32_t numbers[2] = {};
  std::size_t at = 0;
  for (std::uint32_t& number : numbers) {
    const std::size_t begin = at;
    for (; at < text.size() && at < begin + 4 && text[at] >= '0' && text[at] <= '9'; ++at) {
      number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
    }
    if (at == begin) return 0;
    // Behind the first number stands the point.
    if (&number == numbers && (at >= text.size() || text[at++] != '.')) return 0;
  }
  return numbers[0] << 16 | numbers[1];
}

/// The first release with the new layout of condition variables.
inline constexpr std::uint32_t kNewConditions = 2 << 16 | 41;
/// Releases before this one have the old layout for certain. Updates of those between the two may
/// have either.
inline constexpr std::uint32_t kOldConditionsBefore = 2 << 16 | 34;

/// Words of a condition variable that GlibcByLayout needs.
inline constexpr std::size_t kConditionWords = 10;

/// `release`, moved to the other side of kNewConditions if the layout is that of the other side.
/// `words`: those of a condition variable that was made for CLOCK_MONOTONIC, which sets bit 1 of
/// __wrefs and nothing else: at byte 36 in the old layout, at 28 in the new one. 0: neither.
/// Signals: safe.
constexpr std::uint32_t GlibcByLayout(std::uint32_t release,
                                      const std::uint32_t (&words)[kConditionWords]) noexcept {
  if (release == 0) return 0;
  std::size_t set = 0;
  for (std::size_t i = 0; i < kConditionWords; ++i) {
    if (words[i] == 0) continue;
    if (set != 0 || words[i] != 2) return 0;
    set = i;
  }
  if (set == 9) return release < kNewConditions ? release : kNewConditions - 1;
  if (set == 7) return release < kNewConditions ? kNewConditions : release;
  return 0;
}

}  // namespace csink::agent

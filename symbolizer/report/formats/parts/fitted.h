#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace csink::report {

/// A text of at most `most` bytes. `make()` writes it from about `rows` rows; while it is too long,
/// `drop()` removes one of them, as often as the mean length of a row asks for, and it is written
/// again. drop returns false if nothing is left to remove; the text is then as long as it is.
template <typename Make, typename Drop>
std::string Fitted(std::size_t most, std::size_t rows, Make make, Drop drop) {
  for (;;) {
    std::string text = make();
    if (text.size() <= most) return text;
    const std::size_t wanted = std::max<std::size_t>(1, rows * (text.size() - most) / text.size());
    std::size_t dropped = 0;
    while (dropped < wanted && drop()) ++dropped;
    if (dropped == 0) return text;
    rows -= std::min(rows, dropped);
  }
}

}  // namespace csink::report

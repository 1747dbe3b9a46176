#include "part.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace part {
namespace {

template <int kOrder>
double Polynomial(double x) {
  if constexpr (kOrder == 0) {
    return 1;
  } else {
    return Polynomial<kOrder - 1>(x) * x + kOrder;
  }
}

}  // namespace

double Smooth(int i) {
  double sum = 0;
  for (int k = 0; k < i; ++k) sum += std::sqrt(Square(Polynomial<5>(k)) + 1);
  return sum;
}

std::vector<std::string> Words(const std::string& text) {
  std::set<std::string> words;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    words.insert(text.substr(from, end - from));
    from = end + 1;
  }
  std::vector<std::string> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return sorted;
}

}  // namespace part

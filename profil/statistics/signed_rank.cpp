#include "profil/statistics/signed_rank.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace csink {

std::optional<std::size_t> SignedRankCritical(std::size_t n, double level) {
  // After step i, probability[t] is that of rank sum t of the first i ranks: rank i is positive
  // with probability 1/2.
  std::vector<double> probability(n * (n + 1) / 2 + 1, 0.0);
  probability[0] = 1;
  std::size_t most = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    most += rank;
    // From above, so that the values of the last step are read before they are replaced.
    for (std::size_t sum = most + 1; sum-- > 0;) {
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
    }
  }
  double below = 0;
  std::optional<std::size_t> critical;
  for (std::size_t sum = 0; sum < probability.size(); ++sum) {
    below += probability[sum];
    if (!(2 * below <= level)) break;
    critical = sum;
  }
  return critical;
}

Centre SignedRankCentre(std::span<const double> differences, double level) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Centre centre{0, {-kInfinity, kInfinity}};
  const std::size_t n = differences.size();
  if (n == 0) return centre;
  std::vector<double> means;
  means.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) means.push_back((differences[i] + differences[j]) / 2);
  }
  std::sort(means.begin(), means.end());
  const std::size_t count = means.size();
  centre.estimate = (means[(count - 1) / 2] + means[count / 2]) / 2;
  // The number of means below the true centre is distributed as T.
  if (const auto critical = SignedRankCritical(n, level)) {
    centre.interval = {means[*critical], means[count - 1 - *critical]};
  }
  return centre;
}

}  // namespace csink

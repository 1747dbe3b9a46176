#include "compat/apapi/interval/step_window.h"

#include <algorithm>

namespace csink {
namespace {

/// A window is this much longer than the delay of its readings, so that the error is at most 10 %.
constexpr long double kDelays = 10;
/// A counter whose period is not known must show a step in this many intervals before a single
/// interval can be a window.
constexpr int kFewSteps = 10;

}  // namespace

std::optional<long double> StepWindow::Add(long double growth, long double ns) noexcept {
  growth_ += growth;
  ns_ += ns;
  still_ns_ += ns;
  if (growth == 0) {
    // The window so far began with a reading whose delay was taken to be none.
    if (!stood_still_ && update_ns_ <= 0) began_ = false;
    stood_still_ = true;
    const long double longest = std::max(longest_between_ns_, update_ns_);
    if (longest <= 0 || still_ns_ < kDelays * longest) return std::nullopt;
    still_ns_ = 0;
    Begin(DelayOf(ns));
    return 0.0L;
  }
  const long double delay = DelayOf(ns);
  longest_between_ns_ = began_ ? std::max(longest_between_ns_, still_ns_) : 0;
  still_ns_ = 0;
  if (!began_) {
    began_ = true;
    // The delay of the first reading is not known, except that it is below the update period.
    if (update_ns_ <= 0 && stood_still_) {
      Begin(delay);
      return std::nullopt;
    }
    delay_ns_ = update_ns_;
  }
  if (update_ns_ <= 0 && !stood_still_ && ++steps_seen_ < kFewSteps) return std::nullopt;
  if (ns_ < shortest_ns_ || ns_ < kDelays * std::max(delay_ns_, delay)) return std::nullopt;
  const long double rate = growth_ / ns_;
  Begin(delay);
  return rate;
}

long double StepWindow::DelayOf(long double ns) const noexcept {
  if (update_ns_ > 0) return std::min(ns, update_ns_);
  return stood_still_ ? ns : 0;
}

void StepWindow::Begin(long double delay_ns) noexcept {
  growth_ = ns_ = 0;
  delay_ns_ = delay_ns;
}

}  // namespace csink

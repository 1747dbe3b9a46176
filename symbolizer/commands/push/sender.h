#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "symbolizer/commands/push/answer.h"
#include "symbolizer/commands/push/transport.h"

/// File: sends a profile, and tries again where that may help.

namespace csink::push {

/// Bounds of one Send. The wait before attempt n + 1 is a random part, from a half to the whole, of
/// first_wait_ms * 2^(n-1), but at most most_wait_ms, and at least what Retry-After says.
struct RetryPolicy {
  unsigned most_attempts = 5;  ///< At least 1
  std::uint64_t first_wait_ms = 500;
  std::uint64_t most_wait_ms = 5'000;
  /// Of all attempts and waits together. An attempt that would begin later is not made.
  std::uint64_t total_ms = 10'000;
};

/// Time and chance; tests replace them.
struct Timing {
  std::function<std::uint64_t()> now_ms;        ///< Monotonic
  std::function<std::int64_t()> date_s;         ///< Since 1970
  std::function<void(std::uint64_t)> sleep_ms;  ///< May return earlier
  std::function<double()> random;               ///< Uniform in [0, 1)
};
/// Those of this machine. A sleep calls `meanwhile`.
Timing RealTiming(Meanwhile meanwhile = {});

/// How a Send ended.
struct Outcome {
  /// Never kRetry.
  Verdict verdict = Verdict::kRefused;
  std::string text;       ///< As of Judgement; with the number of attempts if there were several
  unsigned attempts = 0;  ///< Requests that were made
  /// Of a refusal: the same request may be taken later, or was taken and the answer got lost.
  bool may_pass = false;
};

/// Sends requests with bounded retries. What Retry-After says holds for the next Send, too.
/// Threads: one at a time.
class Sender {
 public:
  /// `transport` must outlive the sender.
  Sender(Transport& transport, RetryPolicy policy, Timing timing);
  /// Sends the request until it is taken or refused, or a bound is reached. Blocks for at most
  /// RetryPolicy::total_ms, as far as the transport keeps to its timeout. Makes no request if an
  /// earlier Retry-After leaves no time for it.
  Outcome Send(const Request& request, Receiver receiver);
  /// How long the receiver has asked to wait, from now on.
  std::uint64_t HeldMs() const;

 private:
  /// The wait before the next attempt, in ms.
  std::uint64_t WaitAfter(unsigned attempts, const Answer& answer) const;

  Transport* transport_;
  RetryPolicy policy_;
  Timing timing_;
  std::uint64_t not_before_ms_ = 0;  ///< Of Timing::now_ms
};

}  // namespace csink::push

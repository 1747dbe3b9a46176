#include "symbolizer/commands/push/sender.h"

#include <time.h>

#include <algorithm>
#include <random>

/// File: the loop of attempts. All waits come from one clock, so that the total is bounded.

namespace csink::push {
namespace {

std::string AskedToWait(std::uint64_t ms) {
  return "the receiver asks to wait " + std::to_string((ms + 999) / 1000) + " s";
}

}  // namespace

Timing RealTiming(Meanwhile meanwhile) {
  const auto now_ms = [] {
    timespec now = {};
    // Not the time of day: a clock that is set meanwhile must not lengthen the push.
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  };
  const auto sleep_ms = [meanwhile = std::move(meanwhile)](std::uint64_t ms) {
    while (ms != 0) {
      const std::uint64_t slice = meanwhile ? std::min<std::uint64_t>(ms, kMeanwhileMs) : ms;
      timespec wait = {};
      wait.tv_sec = static_cast<time_t>(slice / 1000);
      wait.tv_nsec = static_cast<long>(slice % 1000 * 1'000'000);
      // A signal may end the sleep early: the next attempt then comes sooner.
      nanosleep(&wait, nullptr);
      if (meanwhile) meanwhile();
      ms -= slice;
    }
  };
  // Many programs of a job end at the same time: a seed of the time alone would give all of them
  // the same waits.
  const auto random = [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
  return {now_ms, [] { return static_cast<std::int64_t>(time(nullptr)); }, sleep_ms, random};
}

Sender::Sender(Transport& transport, RetryPolicy policy, Timing timing)
    : transport_(&transport), policy_(policy), timing_(std::move(timing)) {}

std::uint64_t Sender::WaitAfter(unsigned attempts, const Answer& answer) const {
  std::uint64_t whole = policy_.first_wait_ms;
  // Stops at the longest wait, so that the number does not overflow.
  for (unsigned i = 1; i < attempts && whole < policy_.most_wait_ms; ++i) whole *= 2;
  whole = std::min(whole, policy_.most_wait_ms);
  // A random part keeps programs that failed together from trying again together.
  const double part = 0.5 + 0.5 * timing_.random();
  const auto wait = static_cast<std::uint64_t>(static_cast<double>(whole) * part);
  return std::max(wait, RetryAfterMs(answer.retry_after, timing_.date_s()).value_or(0));
}

std::uint64_t Sender::HeldMs() const {
  const std::uint64_t now = timing_.now_ms();
  return not_before_ms_ - std::min(now, not_before_ms_);
}

Outcome Sender::Send(const Request& request, Receiver receiver) {
  const std::uint64_t begin = timing_.now_ms();
  Outcome outcome;
  if (const std::uint64_t held = HeldMs(); held >= policy_.total_ms) {
    return {Verdict::kRefused, AskedToWait(held), 0, true};
  }
  // In a loop: a sleep may end early.
  while (const std::uint64_t held = HeldMs()) timing_.sleep_ms(held);
  for (;;) {
    const std::uint64_t passed = timing_.now_ms() - begin;
    const std::uint64_t left = policy_.total_ms - std::min(passed, policy_.total_ms);
    // At least 1 ms: libcurl takes a timeout of 0 as none.
    const Answer answer = transport_->Post(request, std::max<std::uint64_t>(left, 1));
    ++outcome.attempts;
    const Judgement judgement = Judge(answer, receiver);
    outcome.verdict = judgement.verdict;
    outcome.text = judgement.text;
    // A success that cannot be read: perhaps the receiver took it.
    outcome.may_pass = answer.status / 100 == 2;
    if (judgement.verdict != Verdict::kRetry) return outcome;
    // kRetry is no result for the caller: if no further attempt is made, the profile was not taken.
    outcome.verdict = Verdict::kRefused;
    outcome.may_pass = true;
    const std::uint64_t wait = WaitAfter(outcome.attempts, answer);
    const std::uint64_t now = timing_.now_ms() - begin;
    const auto asked = RetryAfterMs(answer.retry_after, timing_.date_s());
    if (asked) not_before_ms_ = begin + now + *asked;
    if (outcome.attempts >= policy_.most_attempts || now + wait >= policy_.total_ms) {
      // Tells why there is no further attempt although the attempts are not used up.
      if (asked && now + *asked >= policy_.total_ms) outcome.text += "; " + AskedToWait(*asked);
      break;
    }
    timing_.sleep_ms(wait);
  }
  // The text is that of the last attempt; the number tells that there were others.
  if (outcome.attempts > 1) {
    outcome.text += " (" + std::to_string(outcome.attempts) + " attempts)";
  }
  return outcome;
}

}  // namespace csink::push

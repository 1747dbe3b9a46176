#pragma once

#include <cstdint>

#include "profil/critical/analysis.h"

namespace csink::critical::testing {

/// Builds a log by hand. Times are milliseconds; code has a sample each millisecond, in the middle
/// of it. Times start at kBegin.
class LogBuilder {
 public:
  static constexpr std::int64_t kBegin = 1'000'000'000;
  static constexpr std::uint64_t kHandle = 0x7000;  ///< pthread_t of thread i: kHandle + i

  explicit LogBuilder(std::uint32_t processors = 2, std::uint32_t places = 8) {
    raw.processors = processors;
    raw.period_ns = 1'000'000;
    raw.processes.push_back({100});
    for (std::uint32_t i = 0; i < places; ++i) raw.chains.push_back({i});
  }
  static std::int64_t Ns(double ms) { return kBegin + static_cast<std::int64_t>(ms * 1e6); }

  /// A thread that lives in [begin, end].
  std::uint32_t Thread(double begin, double end, std::uint32_t process = 0) {
    const auto index = static_cast<std::uint32_t>(raw.threads.size());
    raw.threads.push_back({process, 100 + index, kHandle + index, Ns(begin), Ns(end)});
    return index;
  }
  /// The same, created by a thread at its begin.
  std::uint32_t Created(double begin, double end, std::uint32_t creator) {
    const std::uint32_t thread = Thread(begin, end, raw.threads[creator].process);
    Point(creator, MomentKind::kThreadCreated, begin, kHandle + thread, 100 + thread);
    return thread;
  }
  void Wait(std::uint32_t thread, MomentKind kind, double begin, double end,
            std::uint64_t object = 0, std::uint64_t value = 0) {
    raw.moments.push_back({Ns(begin), Ns(end), object, value, thread, kind});
  }
  void Join(std::uint32_t thread, std::uint32_t target, double begin, double end) {
    Wait(thread, MomentKind::kJoinWait, begin, end, kHandle + target);
  }
  void Point(std::uint32_t thread, MomentKind kind, double time, std::uint64_t object = 0,
             std::uint64_t value = 0) {
    raw.moments.push_back({Ns(time), Ns(time), object, value, thread, kind});
  }
  /// Samples of a chain, whose number is that of its place if no other was added.
  void Work(std::uint32_t thread, std::uint32_t chain, double begin, double end) {
    for (double time = begin + 0.5; time < end; time += 1) {
      raw.samples.push_back({Ns(time), thread, chain});
    }
  }
  void Switch(std::uint32_t thread, SwitchKind kind, double time) {
    raw.switches.push_back({Ns(time), thread, kind});
  }
  /// Off the processor in between.
  void Off(std::uint32_t thread, double begin, double end,
           SwitchKind kind = SwitchKind::kOutBlocked) {
    Switch(thread, kind, begin);
    Switch(thread, SwitchKind::kIn, end);
  }
  CriticalLog Log() const { return MakeLog(raw); }

  RawLog raw;
};

inline const PlaceShares* Find(const Analysis& analysis, std::uint32_t place) {
  for (const PlaceShares& row : analysis.places) {
    if (row.place == place) return &row;
  }
  return nullptr;
}

}  // namespace csink::critical::testing

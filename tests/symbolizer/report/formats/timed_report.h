#pragma once

#include "tests/symbolizer/report/formats/written.h"

/// File: a report whose samples, waits and switches have times (CSINK_CRITICAL).

namespace csink::testing {

struct TimedOptions {
  std::uint64_t without_time = 0;  ///< So many samples of the main thread found no room in the log
  std::string name = "B";          ///< Of the second function, the thread and the mark
};

/// Two threads. Each runs 10 ms in A from 0 on, waits for a mutex (main) or sleeps (worker) until
/// 500 ms, is runnable until 510 ms, and runs 20 ms in the second function. Main waits for the
/// mutex that the worker unlocks at 500 ms. A mark is set at 510 ms.
inline report::Report MakeTimedReport(const TimedOptions& options = {}) {
  constexpr std::uint64_t kMs = 1'000'000, kMutex = 0x5000, kSecond = 500 * kMs;
  SpoolBuilder spool;
  const std::uint64_t start = spool.header().start_monotonic_ns;
  spool.header().timed.recorded = 1;
  spool.header().timed.hooked = 1;
  spool.event(0).period = kMs;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x40000});
  const auto worker = spool.AddThread(4712, options.name.substr(0, 12));
  const auto mark =
      spool.AddPhase(options.name.substr(0, 200), 1, 1, 1, start + kSecond + 10 * kMs);
  const auto chain = spool.AddChain(0, region, 0x3010);
  for (const auto& [thread, tid] : {std::pair{std::uint32_t{1}, 4711u}, {worker, 4712u}}) {
    spool.AddHitsAt(region, thread, 0x1000, 10, chain);
    spool.AddHitsAt(region, thread, 0x2000, 20, chain, mark);
    const std::uint64_t left_out = tid == 4711 ? options.without_time : 0;
    for (std::uint64_t i = 0; i < 30 - left_out; ++i) {
      const std::uint64_t at = i < 10 ? i * kMs : kSecond + i * kMs;
      spool.AddTimedSample({.time_ns = start + at + kMs,
                            .pc = i < 10 ? 0x1000u : 0x2000u,
                            .region = region,
                            .chain = chain,
                            .thread = tid,
                            .event = 0});
    }
    if (left_out != 0) spool.header().timed.full_monotonic_ns = start + kSecond + 100 * kMs;
    spool.AddSwitch({start, tid, spool::SwitchKind::kIn});
    spool.AddSwitch({start + 10 * kMs, tid, spool::SwitchKind::kOutBlocked});
    spool.AddSwitch({start + kSecond + 10 * kMs, tid, spool::SwitchKind::kIn});
    spool.AddSwitch({start + kSecond + 30 * kMs, tid, spool::SwitchKind::kOutPreempted});
    spool.AddMoment(
        {.start_ns = start + 10 * kMs,
         .end_ns = start + kSecond + 10 * kMs,
         .object = tid == 4711 ? kMutex : 0,
         .value = 0,
         .thread = tid,
         .kind = tid == 4711 ? spool::MomentKind::kMutexWait : spool::MomentKind::kSleep,
         .flags = 0});
  }
  spool.AddMoment({.start_ns = start + kSecond,
                   .end_ns = start + kSecond,
                   .object = kMutex,
                   .value = 0,
                   .thread = 4712,
                   .kind = spool::MomentKind::kMutexUnlock,
                   .flags = 0});
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "A"});
  names.Add("/bin/app", 0x2000, {.end = 0x2100, .name = options.name});
  names.Add("/bin/app", 0x3000, {.end = 0x3100, .name = "main"});
  return MakeAll({&spool}, names);
}

}  // namespace csink::testing

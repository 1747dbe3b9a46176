#pragma once

#include <cstdint>
#include <vector>

#include "core/sampling/sample_sink.h"

namespace csink::testing {

/// Keeps everything that a source hands over.
struct RecordingSink final : SampleSink {
  struct Sample {
    std::size_t event;
    std::uint64_t pc;
    std::uint64_t weight;
    bool operator==(const Sample&) const = default;
  };
  std::vector<Sample> samples;
  std::vector<std::uint32_t> mappings;  ///< Types of the records
  std::uint64_t lost = 0;
  std::size_t throttled = 0;

  void OnSample(ThreadSlot&, std::size_t event, std::uint64_t pc,
                std::uint64_t weight) noexcept override {
    samples.push_back({event, pc, weight});
  }
  void OnMapping(const RingRecord& record) noexcept override { mappings.push_back(record.type()); }
  void OnLost(ThreadSlot&, std::size_t, std::uint64_t count) noexcept override { lost += count; }
  void OnThrottled(std::size_t) noexcept override { ++throttled; }

  struct SwitchSeen {
    std::uint64_t time_ns;
    Switch how;
    bool operator==(const SwitchSeen&) const = default;
  };
  std::vector<std::uint64_t> times;
  std::vector<SwitchSeen> switches;
  std::vector<std::uint64_t> lost_until;

  void OnTime(std::uint64_t time_ns) noexcept override { times.push_back(time_ns); }
  void OnSwitch(ThreadSlot&, std::uint64_t time_ns, Switch how) noexcept override {
    switches.push_back({time_ns, how});
  }
  void OnLostUntil(ThreadSlot&, std::uint64_t time_ns) noexcept override {
    lost_until.push_back(time_ns);
  }
};

}  // namespace csink::testing

#pragma once

#include <vector>

#include "core/counting/counter_sets/perf_counter_set.h"

namespace csink::testing {

/// Events for counter sets, by number, without libpfm4. Those of the kernel's own first.
class FakeEvents final : public CountableEvents {
 public:
  /// Numbers below this are PERF_COUNT_SW_*.
  static constexpr std::uint32_t kHardware = 100;  ///< + PERF_COUNT_HW_*
  static constexpr std::uint32_t kOther = 200;     ///< What Add gave

  bool Encode(std::uint32_t event, CountableEvent& out) override {
    out = {};
    out.attr.size = sizeof out.attr;
    if (event < PERF_COUNT_SW_MAX) {
      out.attr.type = PERF_TYPE_SOFTWARE;
      out.attr.config = event;
      out.software = true;
      out.kernel_only = event == PERF_COUNT_SW_CONTEXT_SWITCHES;
    } else if (event >= kHardware && event < kHardware + PERF_COUNT_HW_MAX) {
      out.attr.type = PERF_TYPE_HARDWARE;
      out.attr.config = event - kHardware;
    } else if (event >= kOther && event - kOther < others_.size()) {
      out = others_[event - kOther];
    } else {
      return false;
    }
    return true;
  }
  std::uint32_t Add(const CountableEvent& event) {
    others_.push_back(event);
    return kOther + static_cast<std::uint32_t>(others_.size()) - 1;
  }
  std::size_t CountersAtOnce() override { return at_once_; }
  void SetCountersAtOnce(std::size_t counters) { at_once_ = counters; }
  CountingMemory& memory() noexcept override { return memory_; }

 private:
  std::vector<CountableEvent> others_;
  std::size_t at_once_ = 4;
  CountingMemory memory_;
};

inline std::vector<CounterRequest> Requests(std::initializer_list<std::uint32_t> events) {
  std::vector<CounterRequest> requests;
  for (const std::uint32_t event : events) requests.push_back({.event = event, .sampling = {}});
  return requests;
}

}  // namespace csink::testing

#include "core/counting/components/topdown/topdown_counter_set.h"

#include <algorithm>

// File: the set counts the events of the model by a PerfCounterSet of its own; which parts were
// asked for decides only how many of them. Reading is in topdown_read_signal.cpp.

namespace csink::topdown {
namespace {

// The parts of level 1 come first in TopdownPart.
bool IsLevel2(TopdownPart part) { return static_cast<std::size_t>(part) >= kTopdownLevel1Parts; }

}  // namespace

bool ModelEvents::Encode(std::uint32_t event, CountableEvent& out) {
  // The numbers here are those of the inner set, places in the model. The outer set's are parts +
  // 1, because PAPI's event 0 is none.
  if (event >= model_.count) return false;
  out = {};
  out.attr.size = sizeof out.attr;
  out.attr.type = model_.type;
  out.attr.config = model_.events[event].config;
  return true;
}

Result<void> TopdownCounterSet::Configure(std::span<const CounterRequest> requests,
                                          const CountingOptions& options) {
  std::vector<TopdownPart> parts;
  for (const CounterRequest& request : requests) {
    if (request.sampling.delivery != SamplingRequest::Delivery::kNone) {
      return Error{Errc::kUnsupported, 0, "top-down shares cannot overflow"};
    }
    if (request.event == 0 || request.event > kTopdownParts) {
      return Error{Errc::kNoEvent, 0, "there is no such event"};
    }
    parts.push_back(static_cast<TopdownPart>(request.event - 1));
  }
  // Level 1 alone needs fewer counters, so it is multiplexed less often and is more exact.
  const bool level2 = std::any_of(parts.begin(), parts.end(), IsLevel2);
  const std::size_t wanted = parts.empty() ? 0 : level2 ? model_.count : model_.level1_count;
  std::vector<CounterRequest> counters;
  for (std::uint32_t i = 0; i < wanted; ++i) counters.push_back({.event = i, .sampling = {}});

  CountingOptions how = options;
  // The kernel accepts Intel's metric events in one group only, so they cannot take turns.
  if (model_.one_group) how.multiplex = CountingOptions::Multiplex::kOff;
  Result<void> configured = counters_.Configure(counters, how);
  // Processors with fewer counters than the model has events: the kernel lets them take turns, as
  // the class comment says.
  if (!configured && configured.error().code == Errc::kConflict && !model_.one_group &&
      how.multiplex == CountingOptions::Multiplex::kOff) {
    how.multiplex = CountingOptions::Multiplex::kKernel;
    configured = counters_.Configure(counters, how);
  }
  // Last: after an error the set has its earlier parts, which the counters still count.
  if (configured) parts_ = std::move(parts);
  return configured;
}

void TopdownCounterSet::ForgetAfterFork() noexcept {
  counters_.ForgetAfterFork();
  parts_.clear();
}

}  // namespace csink::topdown

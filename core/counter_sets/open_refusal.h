#pragma once

#include "core/counter_sets/counting_attr.h"
#include "core/counting/counter_set.h"
#include "core/util/result.h"

namespace csink {

/// What the kernel's refusal `error` (an errno) to open `event` means, in a sentence.
Error ExplainRefusal(int error, const CountableEvent& event, const CountingOptions& options,
                     const SamplingRequest& sampling);

/// The event is fine alone, but not beside the others of its set.
Error ExplainConflict();

/// The events fit on the counters that the PMU says it has, but some of those do not count.
Error ExplainDeadCounters();

}  // namespace csink

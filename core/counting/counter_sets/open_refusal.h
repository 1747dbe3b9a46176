#pragma once

#include "core/counting/counter_sets/counting_attr.h"
#include "core/counting/counters/counter_set.h"
#include "core/util/result.h"

namespace csink {

/// The error for `error`, an errno with which the kernel refused to open `event` with these
/// options, with a sentence that explains it. The code is kPermission, kNoEvent, kInvalid, kLimit,
/// kConflict, kUnsupported, or that of ErrcFromErrno. The texts are static strings. Threads: any.
Error ExplainRefusal(int error, const CountableEvent& event, const CountingOptions& options,
                     const SamplingRequest& sampling);

/// The error for an event that counts alone, but not together with the others of its set
/// (kConflict).
Error ExplainConflict();

/// The error for events that fit on the counters that the PMU advertises, some of which do not
/// count (kConflict).
Error ExplainDeadCounters();

}  // namespace csink

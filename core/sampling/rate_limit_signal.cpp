#include "core/sampling/rate_limit.h"

namespace csink {

// The file is read once for all events, so that they are compared with the same limit.
void FitRates(Kernel& kernel, EventList& events, EventComplaint& complaint) noexcept {
  long limit_hz = 0;
  for (std::size_t i = 0; i < events.count; ++i) {
    EventSpec& spec = events.events[i];
    if (spec.frequency_hz == 0) continue;
    if (limit_hz == 0) limit_hz = kernel.MaxSampleRateHz();  // read only where a frequency needs it
    // Not readable: an open with a rate above the limit fails with EINVAL, and RingSource reads the
    // limit then.
    if (limit_hz <= 0) return;
    const std::uint64_t fits = FittingHz(static_cast<std::uint64_t>(limit_hz));
    if (spec.frequency_hz <= fits) continue;
    // Only where the user stated the rate: a change of the default needs no message.
    if (spec.rate_given) {
      if (complaint.size() != 0) complaint.Add("; ");
      complaint.Add(spec.name).Add(" is sampled at ").Number(fits).Add(" Hz, not at ");
      complaint.Number(spec.frequency_hz).Add(": the kernel allows ");
      complaint.Number(static_cast<std::uint64_t>(limit_hz));
      complaint.Add(
          " samples a second now (kernel.perf_event_max_sample_rate), and csink uses at most half "
          "of the limit");
    }
    spec.frequency_hz = fits;
  }
}

}  // namespace csink

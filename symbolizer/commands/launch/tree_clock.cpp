#include "symbolizer/commands/launch/tree_clock.h"

#include <linux/perf_event.h>

namespace csink::tool {

// A clock that only counts has no timer, so it adds no interrupts. It includes kernel mode although
// the counter excludes that.
TreeClock::TreeClock() { (void)counter_.Open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK); }

std::uint64_t TreeClock::NowNs() const { return counter_.Read(); }

}  // namespace csink::tool

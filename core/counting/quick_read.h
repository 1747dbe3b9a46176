#pragma once

#include "core/counting/counter_table.h"
#include "core/util/raw_syscall.h"

namespace csink {

/// The commonest read, with nothing around its system call: a running set of one group, on the
/// machine's own kernel, whose counter i is event i, without scaling and user-space reads. After a
/// system call every call, return and jump through a pointer is mispredicted (the kernel empties
/// those predictors), so this is one function that is compiled into PAPI_read.
/// PerfCounterSet fills it; it points into the set's CounterTable.
struct QuickRead {
  int fd = -1;
  long bytes = 0;         ///< What the kernel answers
  std::size_t first = 0;  ///< Word of the answer where the counts begin
  std::size_t count = 0;  ///< > 0
  const CounterSlot* slots = nullptr;
  const CounterValue* values = nullptr;
  /// Where the running time of the last read is kept if the group may lose its counters while it
  /// runs (hardware; seen by a time that stands still), else null: then nothing is written.
  std::uint64_t* running_ns = nullptr;
  /// Counts since the base that have a bit of these are for CounterSet::Read to judge: the
  /// processor's counters may jump (CorrectJump).
  std::uint64_t suspect_bits = 0;
};

/// values[count]. False: the kernel answered otherwise, the group stood still, or a count is
/// suspect. Then CounterSet::Read finds out what it means. Signals: safe; see CounterTable.
[[gnu::always_inline]] inline bool ReadQuickly(const QuickRead& set, long long* values) noexcept {
  std::uint64_t words[3 + kMaxGroupEvents];
  const long answer = RawSyscall3(SYS_read, set.fd, reinterpret_cast<long>(words), set.bytes);
  if (answer != set.bytes) [[unlikely]]
    return false;
  if (set.running_ns) {
    if (words[2] == *set.running_ns) return false;
    *set.running_ns = words[2];
  }
  const std::uint64_t* counts = words + set.first;
  std::uint64_t bits = 0;
  std::size_t i = 0;
  do {
    bits |= counts[i] - set.slots[i].base.value;
    values[i] = ShownValue(set.values[i], set.slots[i], counts[i]);
  } while (++i < set.count);
  return (bits & set.suspect_bits) == 0;
}

}  // namespace csink

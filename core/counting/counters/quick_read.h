#pragma once

#include "core/counting/counters/counter_table.h"
#include "core/util/raw_syscall.h"

namespace csink {

/// The most frequent read, reduced to its system call: a running set of one group on the machine's
/// own kernel, whose counter i is event i, without scaling and without user-space reads. After a
/// system call the processor's predictors for calls, returns and jumps through pointers are empty,
/// so this is one function that is inlined into PAPI_read.
///   const QuickRead* quick = set.quick();
///   if (quick && ReadQuickly(*quick, values)) return;
///   set.Read(values);
/// Owns: nothing; PerfCounterSet fills it, and it points into that set's arrays.
struct QuickRead {
  /// The descriptor through which the group is read (CounterGroup::read_fd).
  int fd = -1;
  long bytes = 0;         ///< The expected result of read(2)
  std::size_t first = 0;  ///< Word of the answer at which the counts begin
  std::size_t count = 0;  ///< Counters; > 0
  /// slots[i] and values[i] belong to counter i.
  const CounterSlot* slots = nullptr;
  const CounterValue* values = nullptr;
  /// Where the running time of the last read is stored, for a group that may lose its counters
  /// while it runs: a hardware group whose time stands still may have lost them. Null for other
  /// groups: then nothing is written.
  std::uint64_t* running_ns = nullptr;
  /// Counts since the base that have one of these bits set are left to CounterSet::Read: the
  /// counter may have jumped (CorrectJump).
  std::uint64_t suspect_bits = 0;
};

/// Stores the counts in values[count]. Returns false if the kernel's answer has another size, the
/// group stood still, or a count is suspect: CounterSet::Read must then be called, which finds the
/// reason.
/// Threads and signals: as CounterTable; safe.
[[gnu::always_inline]] inline bool ReadQuickly(const QuickRead& set, long long* values) noexcept {
  // Not initialised: about 1 KiB, of which the kernel fills what is used.
  std::uint64_t words[3 + kMaxGroupEvents];
  const long answer = RawSyscall3(SYS_read, set.fd, reinterpret_cast<long>(words), set.bytes);
  if (answer != set.bytes) [[unlikely]]
    return false;
  if (set.running_ns) {
    if (words[2] == *set.running_ns) return false;
    *set.running_ns = words[2];
  }
  // No branch inside the loop: suspect counts are collected and looked at once, at its end.
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

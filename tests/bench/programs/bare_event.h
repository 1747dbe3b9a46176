#pragma once

#include <stddef.h>
#include <stdint.h>

/// One task-clock:u event of the calling thread, the least that a sampler on this
/// kernel can do: the floor that the agent is compared with.
struct BareEvent {
  int fd;
  void* ring;
  size_t ring_bytes;
};

/// Opens an event that interrupts every `period_ns` of CPU time. With `ring_pages`
/// > 0 (a power of two) samples of 16 bytes (the PC) go to a ring that nobody
/// drains; with 0 the interrupt is taken and nothing is written.
/// Ends the program with status 3 and the reason when the kernel refuses.
struct BareEvent OpenBareEvent(uint64_t period_ns, size_t ring_pages);

/// From the next exec on, this process and all its children are interrupted every `period_ns` of a
/// thread's CPU time, and nothing is written: the floor for a profiler of process trees.
void InterruptTree(uint64_t period_ns);

/// Samples so far: records in the ring, or without one the counted time over the period.
uint64_t BareEventSamples(const struct BareEvent* event, uint64_t period_ns);

void CloseBareEvent(struct BareEvent* event);

#pragma once

#include <stdint.h>

/// Burns a fixed number of steps of register arithmetic, `depth` calls below the
/// caller, and returns a value that depends on all of them. No memory is touched
/// in the loop, so that the neighbours' use of the caches does not enter the figures.
uint64_t BurnSteps(uint64_t steps, unsigned depth);

/// CPU time in ns. `clock` is CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID.
uint64_t CpuNanoseconds(int clock);

/// Decimal or nothing: a wrong argument ends the program with status 2.
uint64_t NumberOrDie(const char* text);

#include "compat/utils/papi_command_line/work.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

/// File: work whose counts are known, so that wrong counts are noticed.

namespace csink::utils::command_line {
namespace {

volatile double g_result;  // keeps the compiler from removing the work

// One multiplication and one addition a step, kFlops in all. Each step depends on the one before.
void Calculate() {
  double sum = 0.5;
  const double factor = 0.999;
  for (int i = 0; i < kFlops / 2; ++i) {
    sum = sum * factor + 0.001;
    // The value passes through memory in each step: no vector instructions, no results computed by
    // the compiler.
    asm volatile("" : "+m"(sum));
  }
  g_result = sum;
}

// Memory of its own each time, so that each write is a page fault.
void TouchPages() {
  const long page = sysconf(_SC_PAGESIZE);
  const auto bytes = static_cast<std::size_t>(page) * kPages;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Without memory these writes are left out; the count of page faults shows that.
  if (memory == MAP_FAILED) return;
  // One page fault for each page, not one for a huge page.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (int i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, bytes);
}

}  // namespace

void DoWork() {
  Calculate();
  TouchPages();
}

}  // namespace csink::utils::command_line

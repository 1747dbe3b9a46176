#include <atomic>

#include "core/counting/this_thread.h"

namespace csink {
namespace {

std::atomic<std::uint64_t> g_threads{0};
// initial-exec: the dynamic models call __tls_get_addr, which may allocate in a signal handler.
thread_local std::uint64_t t_number __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

std::uint64_t ThisThread() noexcept {
  // A signal handler that runs between the test and the store gives the thread a number that is
  // then replaced. The only effect: what the handler opened looks like another thread's.
  if (t_number == 0) t_number = g_threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return t_number;
}

}  // namespace csink

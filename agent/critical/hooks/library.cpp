#include <pthread.h>
#include <unistd.h>

#include "agent/critical/hooks/hooks.h"

/// File: the library's begin, and the begin and the end of its threads.

// In libagent.so, which may not be there: then nothing is recorded.
extern "C" __attribute__((weak)) void csink_agent_critical(
    csink::agent::CriticalHooks* hooks) noexcept;

namespace csink::agent::critical {

constinit CriticalHooks g_hooks;
__thread MomentBuffer* t_buffer __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// What threads have after their end.
MomentBuffer* const kNoMore = reinterpret_cast<MomentBuffer*>(1);

pthread_key_t g_key;
bool g_key_made = false;

// Destructors of thread-specific data run in rounds, PTHREAD_DESTRUCTOR_ITERATIONS at most. The
// thread ends in the last but one, because those of others may wait.
void ThreadEnds(void* arg) {
  auto* buffer = static_cast<MomentBuffer*>(arg);
  if (t_buffer != buffer) return;  // a forked child has forgotten it
  constexpr std::uint32_t kRounds = 3;
  if (++buffer->end_rounds < kRounds && pthread_setspecific(g_key, buffer) == 0) return;
  buffer->Cut(NowNs());
  t_buffer = kNoMore;
  buffer->ended.store(true, std::memory_order_release);
}

__attribute__((constructor)) void Begin() {
  g_key_made = pthread_key_create(&g_key, ThreadEnds) == 0;
  g_hooks.own = Own;
  g_hooks.forget = [] { t_buffer = nullptr; };
  if (g_key_made && csink_agent_critical) csink_agent_critical(&g_hooks);
}

}  // namespace

MomentBuffer* Own() noexcept {
  MomentBuffer* own = t_buffer;
  if (own == kNoMore) return nullptr;
  if (!own) {
    own = g_hooks.begin_thread();
    if (!own) return nullptr;
    t_buffer = own;
    // The key is one of the first of the process, so that this makes no memory (glibc has 32 in
    // each thread).
    pthread_setspecific(g_key, own);
  }
  if (g_hooks.vforks.load(std::memory_order_relaxed) != 0 && getpid() != own->pid) return nullptr;
  return own;
}

void PutPoint(spool::MomentKind kind, std::uint64_t object) noexcept {
  if (MomentBuffer* own = Own()) own->PutPoint(kind, object, 0, NowNs());
}

}  // namespace csink::agent::critical

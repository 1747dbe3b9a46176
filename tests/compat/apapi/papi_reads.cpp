#include "papi_reads.h"

#include <dlfcn.h>
#include <papi.h>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace {

std::mutex s_mutex;
std::condition_variable s_changed;
PapiRead s_answer;
int s_waiting = 0;
bool s_released = false;

}  // namespace

void AnswerReads(PapiRead answer) {
  const std::lock_guard held(s_mutex);
  s_answer = std::move(answer);
}

HangingRead::HangingRead() {
  {
    const std::lock_guard held(s_mutex);
    s_released = false;
  }
  AnswerReads([](int, long long*) {
    std::unique_lock lock(s_mutex);
    ++s_waiting;
    s_changed.notify_all();
    s_changed.wait(lock, [] { return s_released; });
    --s_waiting;
    s_changed.notify_all();
    return PAPI_OK;
  });
}

void HangingRead::WaitForReader() {
  std::unique_lock lock(s_mutex);
  s_changed.wait(lock, [] { return s_waiting > 0; });
}

void HangingRead::Release() {
  std::unique_lock lock(s_mutex);
  s_released = true;
  s_changed.notify_all();
  s_changed.wait(lock, [] { return s_waiting == 0; });
}

HangingRead::~HangingRead() {
  AnswerReads({});
  Release();
}

// Ours is found before libpapi's.
extern "C" __attribute__((visibility("default"))) int PAPI_read(int event_set, long long* values) {
  PapiRead answer;
  {
    const std::lock_guard held(s_mutex);
    answer = s_answer;
  }
  if (answer) return answer(event_set, values);
  using Read = int (*)(int, long long*);
  static const auto real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "PAPI_read"));
  return real(event_set, values);
}

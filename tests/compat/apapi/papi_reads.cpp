#include "papi_reads.h"

#include <csink_papi.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace {

std::mutex s_mutex;
std::condition_variable s_changed;
PapiReadEach s_answer;
int s_waiting = 0;
bool s_released = false;
std::atomic<int> s_counters = 0;
std::atomic<double> s_share = 1;

}  // namespace

void AnswerEach(PapiReadEach answer) {
  const std::lock_guard held(s_mutex);
  s_answer = std::move(answer);
}

Counters::Counters(int count, double share) {
  s_counters = count;
  s_share = share;
}

Counters::~Counters() { s_counters = 0; }

void AnswerReads(PapiRead answer) {
  if (!answer) return AnswerEach({});
  AnswerEach([answer = std::move(answer)](int event_set, long long* values, int* codes) {
    const int read = answer(event_set, values);
    std::fill_n(codes, PAPI_num_events(event_set), read == PAPI_ECLOST ? PAPI_OK : read);
    return read;
  });
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
extern "C" __attribute__((visibility("default"))) int PAPI_get_opt(int option, PAPI_option_t* out) {
  PapiReadEach answer;
  if (option == CSINK_PAPI_READ_EACH) {
    const std::lock_guard held(s_mutex);
    answer = s_answer;
  }
  if (option == CSINK_PAPI_COUNTED_SHARES && s_counters != 0) {
    const auto* shares = reinterpret_cast<const csink_papi_counted_shares_t*>(out);
    std::fill_n(shares->shares, PAPI_num_events(shares->eventset), s_share.load());
    return PAPI_OK;
  }
  const auto* asked = reinterpret_cast<const csink_papi_read_each_t*>(out);
  if (answer) return answer(asked->eventset, asked->values, asked->codes);
  using GetOpt = int (*)(int, PAPI_option_t*);
  static const auto real = reinterpret_cast<GetOpt>(dlsym(RTLD_NEXT, "PAPI_get_opt"));
  return real(option, out);
}

extern "C" __attribute__((visibility("default"))) int PAPI_add_named_event(int event_set,
                                                                           const char* name) {
  if (s_counters != 0 && PAPI_num_events(event_set) >= s_counters &&
      PAPI_get_multiplex(event_set) <= 0) {
    return PAPI_ECNFLCT;
  }
  using Add = int (*)(int, const char*);
  static const auto real = reinterpret_cast<Add>(dlsym(RTLD_NEXT, "PAPI_add_named_event"));
  return real(event_set, name);
}

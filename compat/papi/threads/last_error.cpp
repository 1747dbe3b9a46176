#include "compat/papi/threads/last_error.h"

#include <algorithm>
#include <cstddef>

namespace csink::papi {
namespace {

/// The message of a thread that has no context yet. Such a message names no event, so it is short;
/// a library that is loaded late gets little static TLS.
struct FirstSentence {
  std::size_t size;
  char text[120];
};

// initial-exec: the first access may be in a signal handler, where __tls_get_addr must not
// allocate.
[[gnu::tls_model("initial-exec")]] thread_local int t_last_failure = 0;
[[gnu::tls_model("initial-exec")]] thread_local constinit FirstSentence t_first_sentence = {};

}  // namespace

// Results >= 0 pass unchanged, so that an entry point can end with `return Failed(...)`.
int Failed(int code) noexcept {
  if (code < 0) t_last_failure = code;
  return code;
}

int LastFailure() noexcept { return t_last_failure; }

void SayWithoutContext(std::string_view sentence) noexcept {
  const std::size_t size = std::min(sentence.size(), sizeof t_first_sentence.text);
  std::copy_n(sentence.data(), size, t_first_sentence.text);
  t_first_sentence.size = size;
}

std::string_view SaidWithoutContext() noexcept {
  return {t_first_sentence.text, t_first_sentence.size};
}

}  // namespace csink::papi

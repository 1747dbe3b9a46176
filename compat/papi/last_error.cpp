#include "compat/papi/last_error.h"

namespace csink::papi {
namespace {

// initial-exec: a signal handler may come first, and must not allocate the block.
[[gnu::tls_model("initial-exec")]] thread_local int t_last_failure = 0;

}  // namespace

int Failed(int code) noexcept {
  if (code < 0) t_last_failure = code;
  return code;
}

int LastFailure() noexcept { return t_last_failure; }

}  // namespace csink::papi

#pragma once

#include "compat/papi/boundary/library_state.h"
#include "compat/papi/threads/thread_list.h"

namespace csink::papi {

/// Marks the calling thread as being in a call that uses or changes event sets without the
/// library's lock. PAPI_shutdown refuses new calls and waits for these, so that no set is closed
/// while it is used. PAPI_read of a set that it can read past the set has no mark: what it reads is
/// kept until the next PAPI_shutdown (Retire).
///
/// Two atomic operations on a cache line of the thread's own.
/// Threads: made and destroyed by the thread that calls.
/// Signals: safe in a thread that has a context, and with Context::kIfThere in any.
class LibraryCall {
 public:
  /// A thread without a context gets one, or it goes on without a mark: it may be in a handler.
  /// Where it reads a running set of another thread, Retire keeps what it reads.
  enum class Context { kMade, kIfThere };

  explicit LibraryCall(Context wanted = Context::kMade) noexcept {
    // Before Current, which would make contexts for threads that call after PAPI_shutdown.
    if (!TheLibrary().ready()) return;
    ThreadContext* const context =
        wanted == Context::kMade ? Threads().Current() : Threads().CurrentIfThere();
    if (context == nullptr) {
      code_ = wanted == Context::kMade ? PAPI_ENOMEM : PAPI_OK;
      return;
    }
    context->calls.fetch_add(1, std::memory_order_seq_cst);
    context_ = context;
    // Asked again: PAPI_shutdown may have looked at `calls` before it was set.
    if (TheLibrary().ready()) code_ = PAPI_OK;
  }
  ~LibraryCall() {
    if (context_) context_->calls.fetch_sub(1, std::memory_order_release);
  }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  /// PAPI_OK; PAPI_ENOINIT: the library is not started, or ends; PAPI_ENOMEM: the thread has no
  /// context. The call must return this code if it is not PAPI_OK.
  int code() const noexcept { return code_; }

 private:
  ThreadContext* context_ = nullptr;
  int code_ = PAPI_ENOINIT;
};

}  // namespace csink::papi

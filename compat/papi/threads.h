#pragma once

#include <cstddef>

#include "compat/papi/thread_context.h"
#include "core/util/futex_lock.h"

namespace csink::papi {

using ThreadIdFunction = unsigned long (*)();

/// All threads that use the library. A thread is adopted at its first call that needs a context;
/// nobody has to register.
/// Owns:    the contexts of the threads in the list, which each free their own at their end.
/// Threads: any. Signals: not safe, but for Current of a thread that has a context.
class ThreadList {
 public:
  /// The calling thread's context, adopted if need be; nullptr: no memory.
  ThreadContext* Current() noexcept {
    const bool linked = t_context && t_context->linked.load(std::memory_order_relaxed);
    return linked ? t_context : Adopt();
  }
  /// The same, and its number is what the function says now: thread libraries give numbers anew.
  ThreadContext* Register() noexcept;
  /// False: the calling thread is not in the list.
  bool Forget() noexcept;

  /// PAPI_thread_init: what says a thread's number. nullptr: the process's number for all.
  void SetIdFunction(ThreadIdFunction function) noexcept;
  ThreadIdFunction id_function() const noexcept {
    return id_function_.load(std::memory_order_acquire);
  }

  std::size_t count() noexcept;
  /// Stores at most `capacity` numbers and returns how many threads there are.
  std::size_t List(unsigned long* ids, std::size_t capacity) noexcept;
  /// The pointers that threads stored under `tag`, of those that stored one; returns the number
  /// stored, at most `capacity`. Either array may be null.
  std::size_t ListSpecific(int tag, unsigned long* ids, void** data, std::size_t capacity) noexcept;
  void SetSpecific(ThreadContext& context, int tag, void* value) noexcept;
  /// The kernel's number of the thread that calls itself `id`; 0: none does.
  pid_t TidOf(unsigned long id) noexcept;

  /// PAPI_shutdown: no thread is known any more.
  void Clear() noexcept;

  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept;
  /// Only the calling thread exists.
  void AfterForkInChild() noexcept;

  /// Of a thread that ends.
  void Bury(ThreadContext* context) noexcept;

 private:
  ThreadContext* Adopt() noexcept;
  void Link(ThreadContext& context) noexcept;
  void Unlink(ThreadContext& context) noexcept;

  FutexLock lock_;
  ThreadContext* first_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<ThreadIdFunction> id_function_{nullptr};
};

/// The kernel's number of the calling thread, from its context where it has one.
pid_t OwnTid() noexcept;

}  // namespace csink::papi

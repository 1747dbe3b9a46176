#pragma once

#include <cstddef>

#include "compat/papi/threads/thread_context.h"
#include "core/util/futex_lock.h"

namespace csink::papi {

/// The function that a program gives to PAPI_thread_init, for example pthread_self.
using ThreadIdFunction = unsigned long (*)();

/// All threads that use the library. A thread is added by its first call that needs a context;
/// PAPI_register_thread is not needed.
/// One object (Threads()), initialised at compile time and never destroyed: handlers and threads
/// that end may use the list before main and after static destructors.
/// Owns:    the contexts. Each thread frees its own context at its end.
/// Threads: any. Signals: not safe, except Current in a thread that has a context.
class ThreadList {
 public:
  /// The calling thread's context, made if necessary; nullptr: no memory. A context that
  /// PAPI_shutdown or PAPI_unregister_thread took out of the list is put back.
  ThreadContext* Current() noexcept {
    ThreadContext* const context = CurrentIfThere();
    return context ? context : Adopt();
  }
  /// nullptr: the thread has none yet. Signals: safe.
  ThreadContext* CurrentIfThere() noexcept {
    const bool linked = t_context && t_context->linked.load(std::memory_order_relaxed);
    return linked ? t_context : nullptr;
  }
  /// As Current, and asks the id function again: thread libraries may change a thread's id.
  ThreadContext* Register() noexcept;
  /// PAPI_unregister_thread. False: the calling thread is not in the list.
  bool Forget() noexcept;

  /// Sets the function of PAPI_thread_init that returns a thread's id. nullptr: the process id for
  /// all. The calling thread gets its new id at once, other threads when they call
  /// PAPI_register_thread.
  void SetIdFunction(ThreadIdFunction function) noexcept;
  ThreadIdFunction id_function() const noexcept {
    return id_function_.load(std::memory_order_acquire);
  }

  /// Number of threads in the list.
  std::size_t count() noexcept;
  /// Stores at most `capacity` ids. Returns the number of all threads.
  std::size_t List(unsigned long* ids, std::size_t capacity) noexcept;
  /// Stores ids and pointers of the threads that have a non-null pointer under `tag`. Returns the
  /// number stored, at most `capacity`. Either array may be nullptr.
  std::size_t ListSpecific(int tag, unsigned long* ids, void** data, std::size_t capacity) noexcept;
  /// Stores a pointer of the program; `tag` < PAPI_NUM_TLS. The library never follows it.
  void SetSpecific(ThreadContext& context, int tag, void* value) noexcept;
  /// The kernel's number of the thread with this id; 0: none.
  pid_t TidOf(unsigned long id) noexcept;

  /// PAPI_shutdown: waits until no other thread is in a call (ThreadContext::calls), 1 s at most: a
  /// program may have left a call by longjmp, or wait in a debug handler for the caller. Holds no
  /// lock while it waits. New calls must be refused before.
  void AwaitCalls() noexcept;
  /// PAPI_shutdown: empties the list and forgets the id function. Contexts stay with their threads.
  void Clear() noexcept;

  /// Called by the library's handlers of pthread_atfork (lifecycle.cpp): the lock is held during
  /// fork.
  void BeforeFork() noexcept;
  void AfterForkInParent() noexcept;
  /// Removes all threads but the calling one: the others do not exist in the child.
  void AfterForkInChild() noexcept;

  /// Frees the context of a thread that ends, after its two handlers (ThreadContext). Its running
  /// sets stay and have no runner any more. Called by the destructor of a pthread key, so not for
  /// threads that end with the process.
  void Bury(ThreadContext* context) noexcept;

 private:
  ThreadContext* Adopt() noexcept;
  void Link(ThreadContext& context) noexcept;
  void Unlink(ThreadContext& context) noexcept;

  FutexLock lock_;
  ForkHolding over_fork_{lock_};
  ThreadContext* first_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<ThreadIdFunction> id_function_{nullptr};
};

/// All threads of this process that use the library. Signals: safe.
extern constinit ThreadList g_threads [[gnu::visibility("hidden")]];
inline ThreadList& Threads() noexcept { return g_threads; }

/// The kernel's number of the calling thread; from its context if there is one, which saves a
/// system call. Signals: safe.
pid_t OwnTid() noexcept;

}  // namespace csink::papi

#pragma once

#include <pthread.h>

#include <atomic>

namespace csink::agent {

/// A function of the C library behind one that the agent interposes. Looked up by dlsym(RTLD_NEXT)
/// at its first call and kept. Functions that an allocator may call are not looked up this way,
/// because dlsym may allocate; those hooks make the system call themselves.
/// Threads: any; two threads that look up at the same time store the same address. Signals: get is
///          safe after its first call only, because dlsym is not.
template <class Function>
class Real {
 public:
  explicit constexpr Real(const char* name) noexcept : name_(name) {}
  /// The function, or nullptr if no library after this one defines it.
  Function get() noexcept;

 private:
  /// The symbol's name; a string literal.
  const char* name_;
  std::atomic<Function> function_{nullptr};
};

/// dlsym(RTLD_NEXT, name); nullptr if there is none. Signals: not safe.
void* FindNext(const char* name) noexcept;

template <class Function>
Function Real<Function>::get() noexcept {
  Function found = function_.load(std::memory_order_relaxed);
  if (!found) {
    found = reinterpret_cast<Function>(FindNext(name_));
    function_.store(found, std::memory_order_relaxed);
  }
  return found;
}

/// libc's pthread_create, for threads of the agent itself: they get no slot and are not sampled.
/// Returns 0 or an errno.
int RealPthreadCreate(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                      void* argument) noexcept;

}  // namespace csink::agent

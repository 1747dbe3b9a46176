#pragma once

#include <pthread.h>

#include <atomic>

namespace csink::agent {

/// libc's function behind one that we interpose: looked up once, at its first
/// call. Nothing that an allocator may call is looked up this way (dlsym can
/// allocate): those hooks make the system call themselves.
template <class Function>
class Real {
 public:
  explicit constexpr Real(const char* name) noexcept : name_(name) {}
  Function get() noexcept;

 private:
  const char* name_;
  std::atomic<Function> function_{nullptr};
};

/// dlsym(RTLD_NEXT); nullptr when there is none.
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

int RealPthreadCreate(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                      void* argument) noexcept;

}  // namespace csink::agent

#include "compat/papi/threads/thread_list.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <mutex>
#include <new>

#include "compat/papi/threads/last_error.h"
#include "core/util/thread_id.h"

/// File: the list of threads. A doubly linked list, so that the end of a thread takes constant time
/// whatever the number of threads. Contexts are found through a thread-local pointer (t_context);
/// the list serves only calls that look at other threads. A pthread key frees the context when its
/// thread ends.

namespace csink::papi {

thread_local constinit ThreadContext* t_context = nullptr;
constinit ThreadList g_threads;

namespace {

// Holds the list's lock. Unlike FutexHolding it does not look for an interrupted holder: no
// function that locks the list may be called in a signal handler.
class Holding {
 public:
  explicit Holding(FutexLock& lock) noexcept : lock_(lock) { lock_.Lock(OwnTid()); }
  ~Holding() { lock_.Unlock(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  FutexLock& lock_;
};

void ThreadEnds(void* context) { Threads().Bury(static_cast<ThreadContext*>(context)); }

// A key whose destructor runs at the end of each thread that has a context. A later destructor of
// the same thread may call the library; the thread then gets a second context, and the C library
// calls ThreadEnds again for that.
pthread_key_t EndKey() noexcept {
  static pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, ThreadEnds);
    return made;
  }();
  return key;
}

// The high level first: its sets may be running, and destroying them needs this thread's context.
// Without the list's lock: both handlers may take the library's lock, which precedes it.
void Leave(ThreadContext& context) noexcept {
  if (context.leave_high_level) context.leave_high_level(context);
  if (context.leave_sets) context.leave_sets(context);
}

}  // namespace

pid_t OwnTid() noexcept { return t_context ? t_context->tid : AskTid(); }

// Makes the context if the thread has none, and links it. The id function belongs to the program,
// so it is called without the lock. t_context is set after everything that can fail.
ThreadContext* ThreadList::Adopt() noexcept {
  ThreadContext* context = t_context;
  if (context == nullptr) {
    context = new (std::nothrow) ThreadContext;
    if (context == nullptr) return nullptr;
    context->tid = AskTid();
    if (pthread_setspecific(EndKey(), context) != 0) {
      delete context;
      return nullptr;
    }
    context->complaint.Add(SaidWithoutContext());  // the message of the current call
    SayWithoutContext({});
    t_context = context;
  }
  const ThreadIdFunction function = id_function();
  context->id = function ? function() : static_cast<unsigned long>(getpid());
  const Holding holding(lock_);
  Link(*context);
  return context;
}

// Numbers may change: a thread library can give the number of a thread that has ended to another
// one.
ThreadContext* ThreadList::Register() noexcept {
  ThreadContext* context = Current();
  const ThreadIdFunction function = id_function();
  if (context == nullptr || function == nullptr) return context;
  const unsigned long id = function();
  const Holding holding(lock_);
  context->id = id;
  return context;
}

void ThreadList::Link(ThreadContext& context) noexcept {
  context.previous = nullptr;
  context.next = first_;
  if (first_) first_->previous = &context;
  first_ = &context;
  context.linked.store(true, std::memory_order_relaxed);
  ++count_;
}

// Pointers of the program are forgotten, too: a thread that comes back begins as a new one.
void ThreadList::Unlink(ThreadContext& context) noexcept {
  (context.previous ? context.previous->next : first_) = context.next;
  if (context.next) context.next->previous = context.previous;
  context.next = context.previous = nullptr;
  context.linked.store(false, std::memory_order_relaxed);
  context.specific = {};
  --count_;
}

bool ThreadList::Forget() noexcept {
  ThreadContext* context = t_context;
  if (context == nullptr || !context->linked.load(std::memory_order_relaxed)) return false;
  Leave(*context);
  const Holding holding(lock_);
  Unlink(*context);
  return true;
}

void ThreadList::Bury(ThreadContext* context) noexcept {
  Leave(*context);
  {
    const Holding holding(lock_);
    if (context->linked.load(std::memory_order_relaxed)) Unlink(*context);
  }
  t_context = nullptr;
  delete context;
}

// Ids of other threads are asked at their next PAPI_register_thread: the function of the program
// returns the id of the thread that calls it.
void ThreadList::SetIdFunction(ThreadIdFunction function) noexcept {
  id_function_.store(function, std::memory_order_release);
  if (t_context) {
    t_context->id = function ? function() : static_cast<unsigned long>(getpid());
  }
}

std::size_t ThreadList::count() noexcept {
  const Holding holding(lock_);
  return count_;
}

// The ids are copied under the lock: a thread that ends meanwhile frees its context.
std::size_t ThreadList::List(unsigned long* ids, std::size_t capacity) noexcept {
  const Holding holding(lock_);
  std::size_t stored = 0;
  for (ThreadContext* c = first_; c && stored < capacity; c = c->next) ids[stored++] = c->id;
  return count_;
}

std::size_t ThreadList::ListSpecific(int tag, unsigned long* ids, void** data,
                                     std::size_t capacity) noexcept {
  const Holding holding(lock_);
  std::size_t stored = 0;
  for (ThreadContext* c = first_; c && stored < capacity; c = c->next) {
    void* value = c->specific[static_cast<std::size_t>(tag)];
    if (value == nullptr) continue;
    if (ids) ids[stored] = c->id;
    if (data) data[stored] = value;
    ++stored;
  }
  return stored;
}

void ThreadList::SetSpecific(ThreadContext& context, int tag, void* value) noexcept {
  const Holding holding(lock_);
  context.specific[static_cast<std::size_t>(tag)] = value;
}

// Ids that the program gives may repeat; the thread that was added last is found.
pid_t ThreadList::TidOf(unsigned long id) noexcept {
  const Holding holding(lock_);
  for (ThreadContext* c = first_; c; c = c->next) {
    if (c->id == id) return c->tid;
  }
  return 0;
}

// In steps, because the lock must be free while another thread's call goes on. Calls last for
// microseconds, except those that probe a component (milliseconds).
void ThreadList::AwaitCalls() noexcept {
  constexpr int kMostSteps = 10'000;
  const timespec step = {0, 100'000};
  const auto in_call = [this] {
    const Holding holding(lock_);
    const ThreadContext* c = first_;
    while (c && (c == t_context || c->calls.load(std::memory_order_seq_cst) == 0)) c = c->next;
    return c != nullptr;
  };
  for (int i = 0; i < kMostSteps && in_call(); ++i) nanosleep(&step, nullptr);
}

void ThreadList::Clear() noexcept {
  const Holding holding(lock_);
  while (first_) Unlink(*first_);
  // PAPI_thread_init does not outlive PAPI_shutdown.
  id_function_.store(nullptr, std::memory_order_release);
}

void ThreadList::BeforeFork() noexcept { over_fork_.BeforeFork(OwnTid()); }
void ThreadList::AfterForkInParent() noexcept { over_fork_.AfterForkInParent(); }

// The child has one thread. Contexts of the others are freed, since no thread will end to free
// them. The calling thread keeps its pointers and its number, unless that was the process id.
void ThreadList::AfterForkInChild() noexcept {
  over_fork_.AfterForkInChild();
  while (first_) {
    ThreadContext* context = first_;
    const std::array<void*, PAPI_NUM_TLS> kept = context->specific;
    Unlink(*context);
    if (context == t_context) {
      context->specific = kept;
    } else {
      delete context;  // without Leave: data of the high level may be inconsistent
    }
  }
  if (t_context == nullptr) return;
  t_context->tid = AskTid();
  for (auto& running : t_context->running) running.store(nullptr, std::memory_order_relaxed);
  if (id_function() == nullptr) t_context->id = static_cast<unsigned long>(getpid());
  Link(*t_context);
}

}  // namespace csink::papi

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "core/counting/components/appio/appio_counts.h"

/// File: libcsink_appio.so: the C library's functions for input and output, which count while a set
/// of the component appio runs, and hand every call on as it is. Each call is the C library's own:
/// errno, cancellation and signals are as without us. Those that PAPI 7.3's appio intercepts, their
/// 64-bit names, and what they are called with _FORTIFY_SOURCE.
/// Threads: any; a thread has its own numbers. Signals: as the C library's functions (read, write,
/// open, close, lseek, select and recv are safe; fstat, poll and clock_gettime, which a counted
/// call adds, are, too), once the library is loaded: dlsym is not called after that.

using namespace csink::appio;

namespace {

std::atomic<int> g_sets{0};
// initial-exec: in the memory that a thread has from its start, so that no signal handler
// allocates.
[[gnu::tls_model("initial-exec")]] thread_local long long t_counts[kPlaces];

bool Counting() { return g_sets.load(std::memory_order_relaxed) > 0; }
void Add(Place place, long long by = 1) { t_counts[place] += by; }

/// The next definition of a function behind ours. Looked up when the library is loaded; by the
/// first call where another library's constructor comes before ours.
template <class F>
class Real {
 public:
  explicit constexpr Real(const char* name) : name_(name) {}
  F* Get() {
    F* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name_));
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* const name_;
  std::atomic<F*> found_{nullptr};
};

constinit Real<ssize_t(int, void*, size_t)> g_read("read");
constinit Real<ssize_t(int, const void*, size_t)> g_write("write");
constinit Real<int(int)> g_close("close");
constinit Real<int(const char*, int, ...)> g_open("open"), g_open64("open64");
constinit Real<off_t(int, off_t, int)> g_lseek("lseek");
constinit Real<off64_t(int, off64_t, int)> g_lseek64("lseek64");
constinit Real<size_t(void*, size_t, size_t, FILE*)> g_fread("fread");
constinit Real<size_t(const void*, size_t, size_t, FILE*)> g_fwrite("fwrite");
constinit Real<int(int, fd_set*, fd_set*, fd_set*, timeval*)> g_select("select");
constinit Real<ssize_t(int, void*, size_t, int)> g_recv("recv");
using ReadChecked = ssize_t(int, void*, size_t, size_t);
using ReceiveChecked = ssize_t(int, void*, size_t, size_t, int);
using FreadChecked = size_t(void*, size_t, size_t, size_t, FILE*);
using OpenChecked = int(const char*, int);
constinit Real<ReadChecked> g_read_checked("__read_chk");
constinit Real<ReceiveChecked> g_recv_checked("__recv_chk");
constinit Real<FreadChecked> g_fread_checked("__fread_chk");
constinit Real<OpenChecked> g_open_checked("__open_2"), g_open64_checked("__open64_2");

[[gnu::constructor]] void LookUp() {
  g_read.Get(), g_write.Get(), g_close.Get(), g_open.Get(), g_open64.Get();
  g_lseek.Get(), g_lseek64.Get(), g_fread.Get(), g_fwrite.Get(), g_select.Get(), g_recv.Get();
  g_read_checked.Get(), g_recv_checked.Get(), g_fread_checked.Get();
  g_open_checked.Get(), g_open64_checked.Get();
}

long long NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Where the numbers of a kind of calls are. kPlaces: not kept.
struct Places {
  Place bytes, calls, errors, interrupted, would_block, shorter, eof, asked, good, ns;
};
constexpr Places kRead = {kReadBytes, kReadCalls, kReadErrors, kReadInterrupted, kReadWouldBlock,
                          kReadShort, kReadEof,   kReadAsked,  kReadGood,        kReadNs};
constexpr Places kWrite = {kWriteBytes,      kWriteCalls, kWriteErrors, kWriteInterrupted,
                           kWriteWouldBlock, kWriteShort, kPlaces,      kWriteAsked,
                           kWriteGood,       kWriteNs};
constexpr Places kReceive = {kReceiveBytes,      kReceiveCalls, kReceiveErrors, kReceiveInterrupted,
                             kReceiveWouldBlock, kReceiveShort, kReceiveEof,    kReceiveAsked,
                             kReceiveGood,       kReceiveNs};
constexpr Places kSocketRead = {
    kSocketReadBytes, kSocketReadCalls, kSocketReadErrors, kPlaces, kSocketReadWouldBlock,
    kSocketReadShort, kPlaces,          kPlaces,           kPlaces, kSocketReadNs};
constexpr Places kSocketWrite = {kSocketWriteBytes,
                                 kSocketWriteCalls,
                                 kSocketWriteErrors,
                                 kPlaces,
                                 kSocketWriteWouldBlock,
                                 kSocketWriteShort,
                                 kPlaces,
                                 kPlaces,
                                 kPlaces,
                                 kSocketWriteNs};

void AddKept(Place place, long long by = 1) {
  if (place != kPlaces) Add(place, by);
}

/// What one call did, into the numbers of its kind.
struct Call {
  long long result;  ///< Bytes; below 0: the call failed with `error`
  int error;
  unsigned long long asked;
  bool would_block;
  long long ns;
};
void Count(const Places& to, const Call& call) {
  AddKept(to.calls);
  AddKept(to.ns, call.ns);
  if (call.would_block) AddKept(to.would_block);
  if (call.result < 0) {
    AddKept(to.errors);
    if (call.error == EINTR) AddKept(to.interrupted);
    return;
  }
  if (call.result == 0 && call.asked != 0) AddKept(to.eof);
  AddKept(to.bytes, call.result);
  if (call.result == 0) return;
  AddKept(to.asked, static_cast<long long>(call.asked));
  AddKept(to.good);
  if (static_cast<unsigned long long>(call.result) < call.asked) AddKept(to.shorter);
}

bool IsSocket(int fd) {
  struct stat about = {};
  return fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode);
}

bool WouldBlock(int fd, short events) {
  pollfd one = {fd, events, 0};
  return poll(&one, 1, 0) == 0;
}

/// Makes a call on a descriptor and counts it. errno is that of the call.
template <class F>
ssize_t OnDescriptor(int fd, size_t asked, short events, const Places& kind, const Places* socket,
                     F call) {
  const int before = errno;
  Call what = {0, 0, asked, WouldBlock(fd, events), 0};
  const bool is_socket = socket != nullptr && IsSocket(fd);
  errno = before;
  const long long start = NowNs();
  const ssize_t result = call();
  what.error = errno;
  what.ns = NowNs() - start;
  what.result = result;
  Count(kind, what);
  if (is_socket) Count(*socket, what);
  errno = what.error;
  return result;
}

/// The same for fread and fwrite, which return blocks; 0 with an error of the stream is a failure.
template <class F>
size_t OnStream(size_t size, size_t blocks, FILE* stream, const Places& kind, F call) {
  const long long start = NowNs();
  const size_t done = call();
  const int error = errno;
  Call what = {static_cast<long long>(done * size), error, size * blocks, false, NowNs() - start};
  if (done == 0 && ferror(stream) != 0) what.result = -1;
  Count(kind, what);
  errno = error;
  return done;
}

template <class F>
int Open(F call) {
  const int fd = call();
  if (!Counting()) return fd;
  Add(kOpenCalls);
  Add(fd < 0 ? kOpenErrors : kOpenDescriptors);
  return fd;
}

template <class F, class Offset>
Offset Seek(Offset offset, F call) {
  if (!Counting()) return call();
  const long long start = NowNs();
  const Offset result = call();
  Add(kSeekCalls);
  Add(kSeekBytes, offset < 0 ? -static_cast<long long>(offset) : static_cast<long long>(offset));
  Add(kSeekNs, NowNs() - start);
  return result;
}

/// open's mode, which is there only with these flags.
mode_t ModeOf(int flags, va_list arguments) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const long long* csink_appio_counts() noexcept { return t_counts; }
void csink_appio_counting(int by) noexcept { g_sets.fetch_add(by, std::memory_order_relaxed); }

ssize_t read(int fd, void* to, size_t count) {
  if (!Counting()) return g_read.Get()(fd, to, count);
  return OnDescriptor(fd, count, POLLIN, kRead, &kSocketRead,
                      [&] { return g_read.Get()(fd, to, count); });
}

ssize_t __read_chk(int fd, void* to, size_t count, size_t room) {
  if (!Counting()) return g_read_checked.Get()(fd, to, count, room);
  return OnDescriptor(fd, count, POLLIN, kRead, &kSocketRead,
                      [&] { return g_read_checked.Get()(fd, to, count, room); });
}

ssize_t write(int fd, const void* from, size_t count) {
  if (!Counting()) return g_write.Get()(fd, from, count);
  return OnDescriptor(fd, count, POLLOUT, kWrite, &kSocketWrite,
                      [&] { return g_write.Get()(fd, from, count); });
}

ssize_t recv(int fd, void* to, size_t count, int flags) {
  if (!Counting()) return g_recv.Get()(fd, to, count, flags);
  return OnDescriptor(fd, count, POLLIN, kReceive, nullptr,
                      [&] { return g_recv.Get()(fd, to, count, flags); });
}

ssize_t __recv_chk(int fd, void* to, size_t count, size_t room, int flags) {
  if (!Counting()) return g_recv_checked.Get()(fd, to, count, room, flags);
  return OnDescriptor(fd, count, POLLIN, kReceive, nullptr,
                      [&] { return g_recv_checked.Get()(fd, to, count, room, flags); });
}

size_t fread(void* to, size_t size, size_t blocks, FILE* stream) {
  if (!Counting()) return g_fread.Get()(to, size, blocks, stream);
  return OnStream(size, blocks, stream, kRead,
                  [&] { return g_fread.Get()(to, size, blocks, stream); });
}

size_t __fread_chk(void* to, size_t room, size_t size, size_t blocks, FILE* stream) {
  if (!Counting()) return g_fread_checked.Get()(to, room, size, blocks, stream);
  return OnStream(size, blocks, stream, kRead,
                  [&] { return g_fread_checked.Get()(to, room, size, blocks, stream); });
}

size_t fwrite(const void* from, size_t size, size_t blocks, FILE* stream) {
  if (!Counting()) return g_fwrite.Get()(from, size, blocks, stream);
  return OnStream(size, blocks, stream, kWrite,
                  [&] { return g_fwrite.Get()(from, size, blocks, stream); });
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open([&] { return g_open.Get()(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open([&] { return g_open64.Get()(path, flags, mode); });
}

int __open_2(const char* path, int flags) {
  return Open([&] { return g_open_checked.Get()(path, flags); });
}

int __open64_2(const char* path, int flags) {
  return Open([&] { return g_open64_checked.Get()(path, flags); });
}

int close(int fd) {
  const int result = g_close.Get()(fd);
  if (Counting() && result == 0 && t_counts[kOpenDescriptors] > 0) Add(kOpenDescriptors, -1);
  return result;
}

off_t lseek(int fd, off_t offset, int whence) noexcept {
  return Seek(offset, [&] { return g_lseek.Get()(fd, offset, whence); });
}

off64_t lseek64(int fd, off64_t offset, int whence) noexcept {
  return Seek(offset, [&] { return g_lseek64.Get()(fd, offset, whence); });
}

int select(int count, fd_set* reads, fd_set* writes, fd_set* others, timeval* timeout) {
  if (!Counting()) return g_select.Get()(count, reads, writes, others, timeout);
  const long long start = NowNs();
  const int result = g_select.Get()(count, reads, writes, others, timeout);
  Add(kSelectNs, NowNs() - start);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop

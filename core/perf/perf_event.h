#pragma once

#include <linux/perf_event.h>

#include <utility>

#include "core/perf/kernel.h"

namespace csink {

/// The descriptor of one perf event.
///
///   const long fd = kernel.PerfEventOpen(&attr, tid);
///   if (fd >= 0) event = PerfEvent(kernel, static_cast<int>(fd));
///
/// The destructor only closes the descriptor. In a forked child the descriptor still refers to the
/// parent's counter, and an ioctl would stop that counter; closing is the only safe operation
/// there.
/// Owns:    the descriptor, or nothing (-1). Movable, not copyable. The Kernel must outlive it.
/// Threads: one at a time. Signals: safe; errno is kept.
class PerfEvent {
 public:
  PerfEvent() noexcept = default;
  /// Takes over `fd`, which PerfEventOpen of `kernel` returned.
  PerfEvent(Kernel& kernel, int fd) noexcept : kernel_(&kernel), fd_(fd) {}
  /// A moved-from object holds nothing.
  PerfEvent(PerfEvent&& other) noexcept : kernel_(other.kernel_), fd_(other.Release()) {}
  PerfEvent& operator=(PerfEvent&& other) noexcept {
    if (this != &other) {
      Close();
      kernel_ = other.kernel_;
      fd_ = other.Release();
    }
    return *this;
  }
  ~PerfEvent() { Close(); }

  /// The descriptor, still owned here; -1: none.
  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives up the descriptor without closing it; the caller owns it then.
  int Release() noexcept { return std::exchange(fd_, -1); }
  /// Closes the descriptor, if there is one. A ring that is mapped from the descriptor keeps the
  /// event open.
  void Close() noexcept {
    if (fd_ >= 0) kernel_->Close(fd_);
    fd_ = -1;
  }

 private:
  Kernel* kernel_ = nullptr;
  int fd_ = -1;
};

/// The control page of one event (perf_event_mmap_page), mapped so that the counter can be read
/// without a system call.
/// Owns:    the page, or nothing. Movable, not copyable. The Kernel must outlive it.
/// Threads: one at a time.
/// Signals: safe; errno is kept.
class EventPage {
 public:
  EventPage() noexcept = default;
  /// Takes over `size_bytes` bytes at `page`, which MapRing of `kernel` returned.
  EventPage(Kernel& kernel, void* page, std::size_t size_bytes) noexcept
      : kernel_(&kernel), page_(page), size_bytes_(size_bytes) {}
  EventPage(EventPage&& other) noexcept
      : kernel_(other.kernel_),
        page_(std::exchange(other.page_, nullptr)),
        size_bytes_(other.size_bytes_) {}
  EventPage& operator=(EventPage&& other) noexcept {
    if (this != &other) {
      Unmap();
      kernel_ = other.kernel_;
      page_ = std::exchange(other.page_, nullptr);
      size_bytes_ = other.size_bytes_;
    }
    return *this;
  }
  ~EventPage() { Unmap(); }

  /// The page; nullptr: nothing is mapped. The kernel writes the page at any time: read by the
  /// protocol of its `lock` (UserRead).
  const perf_event_mmap_page* get() const noexcept {
    return static_cast<const perf_event_mmap_page*>(page_);
  }
  /// Gives up the page without unmapping it. For a forked child, into which the kernel does not
  /// copy such mappings.
  void Forget() noexcept { page_ = nullptr; }

 private:
  void Unmap() noexcept {
    if (page_) kernel_->Unmap(page_, size_bytes_);
    page_ = nullptr;
  }

  Kernel* kernel_ = nullptr;
  void* page_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// Enables or disables the event of `fd`; for a group's leader the kernel does the same to its
/// members that are not disabled themselves. Returns 0 or more, or -errno.
/// Threads: any thread of the process. Signals: safe.
inline long SwitchEvent(Kernel& kernel, int fd, bool on) noexcept {
  return kernel.EventControl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace csink

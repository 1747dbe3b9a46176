#pragma once

#include <linux/perf_event.h>

#include <utility>

#include "core/perf/kernel.h"

namespace csink {

/// The descriptor of one perf event.
///
/// Closing is all that a forked child may do with it: the descriptor goes on counting the
/// parent, and an ioctl would stop the parent's counter. The destructor does no more.
/// Owns:    the descriptor, or nothing. Movable, not copyable.
/// Threads: one at a time.
/// Signals: safe.
class PerfEvent {
 public:
  PerfEvent() noexcept = default;
  PerfEvent(Kernel& kernel, int fd) noexcept : kernel_(&kernel), fd_(fd) {}
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

  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int Release() noexcept { return std::exchange(fd_, -1); }
  void Close() noexcept {
    if (fd_ >= 0) kernel_->Close(fd_);
    fd_ = -1;
  }

 private:
  Kernel* kernel_ = nullptr;
  int fd_ = -1;
};

/// The control page of one event, mapped for reading its counter without a system call.
/// Owns:    the page, or nothing. Movable, not copyable.
/// Threads: one at a time.
/// Signals: safe.
class EventPage {
 public:
  EventPage() noexcept = default;
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

  const perf_event_mmap_page* get() const noexcept {
    return static_cast<const perf_event_mmap_page*>(page_);
  }
  /// After fork: the kernel does not copy such mappings into the child.
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

/// Lets the event behind `fd` and those it leads count, or stand still. 0 or more, or -errno.
/// Signals: safe.
inline long SwitchEvent(Kernel& kernel, int fd, bool on) noexcept {
  return kernel.EventControl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace csink

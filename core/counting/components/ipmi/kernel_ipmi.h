#pragma once

#include <poll.h>

#include <memory>
#include <string>

#include "core/counting/components/ipmi/ipmi_device.h"
#include "core/counting/system/system_tree.h"
#include "core/util/unique_fd.h"

/// File: IpmiDevice over the kernel's driver.

namespace csink {

/// The system calls used below, which tests replace. They return -1 and set errno as the real ones.
struct IpmiCalls {
  int (*open)(const char* path, int flags);
  int (*ioctl)(int fd, unsigned long request, void* argument);
  int (*poll)(pollfd* fds, nfds_t count, int timeout_ms);

  /// open(2), ioctl(2) and poll(2).
  static IpmiCalls Real() noexcept;
};

/// The kernel's device /dev/ipmiN (ipmi_devintf, linux/ipmi.h): requests by ioctl, answers by poll
/// and ioctl. Of several BMCs the first one.
///
/// Why not libfreeipmi: where the kernel has a driver, the library uses the same device. Where it
/// has none, the library maps physical memory and accesses I/O ports by itself: on a machine
/// without a BMC its search (ipmi_ctx_find_inband, 1.6.10) opened /dev/mem 48 times in 4 to 6 ms,
/// not counting libgcrypt, which it loads. A profiler must not do that inside another program.
std::unique_ptr<IpmiDevice> MakeKernelIpmi(const SystemTree& tree,
                                           const IpmiCalls& calls = IpmiCalls::Real());

}  // namespace csink

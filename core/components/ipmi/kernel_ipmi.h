#pragma once

#include <poll.h>

#include <memory>
#include <string>

#include "core/components/ipmi/ipmi_device.h"
#include "core/system/system_tree.h"
#include "core/util/unique_fd.h"

namespace csink {

/// The system calls below, for tests.
struct IpmiCalls {
  int (*open)(const char* path, int flags);
  int (*ioctl)(int fd, unsigned long request, void* argument);
  int (*poll)(pollfd* fds, nfds_t count, int timeout_ms);

  static IpmiCalls Real() noexcept;
};

/// The kernel's /dev/ipmiN of ipmi_devintf (linux/ipmi.h): messages by ioctl, answers by poll and
/// ioctl. Of several BMCs the first.
///
/// libfreeipmi is not asked instead. Where the kernel has a driver it goes through this device,
/// too. Where it has none, it maps physical memory and drives ports by itself: on a machine without
/// a BMC its search (ipmi_ctx_find_inband, 1.6.10) opened /dev/mem 48 times in 4 to 6 ms, before
/// libgcrypt, which it loads. A profiler in somebody else's process does not do that.
std::unique_ptr<IpmiDevice> MakeKernelIpmi(const SystemTree& tree,
                                           const IpmiCalls& calls = IpmiCalls::Real());

}  // namespace csink

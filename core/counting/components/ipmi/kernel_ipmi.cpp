#include "core/counting/components/ipmi/kernel_ipmi.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ipmi.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "core/machine/clocks.h"
#include "core/util/parse.h"

// File: a request is sent by an ioctl with a number of ours; poll waits for messages, and messages
// are taken until the one with that number comes. Others are late answers to requests that were
// given up, or events.

namespace csink {
namespace {

// How long an answer is waited for.
constexpr std::uint64_t kPatienceNs = 1'000'000'000;
// The names that udev, devfs and older distributions use, as ipmitool tries them.
constexpr const char* kNames[] = {"/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"};

// Distinguishes a machine without a BMC from a container without the device.
std::string WhyNone(const SystemTree& tree) {
  if (!tree.Names("/sys/class/ipmi").empty()) {
    return "the kernel has a BMC driver, but the device /dev/ipmi0 does not exist here (in a "
           "container: --device /dev/ipmi0)";
  }
  return "no BMC: there is no /dev/ipmi0 (on a server, as root: modprobe ipmi_si ipmi_devintf)";
}

// The name of a group by its number, from /etc/group; "": unknown.
std::string GroupName(const SystemTree& tree, gid_t wanted) {
  const std::string file = tree.Read("/etc/group");
  std::string_view rest = file;
  while (!rest.empty()) {
    std::string_view line = NextToken(rest, '\n');
    const std::string_view name = NextToken(line, ':');
    NextToken(line, ':');
    const Result<std::uint64_t> number = ParseUnsigned(NextToken(line, ':'));
    if (number && *number == wanted) return std::string(name);
  }
  return {};
}

// Names the group that may use the device, or how to make one.
std::string WhyNotPermitted(const SystemTree& tree, const char* name) {
  const std::string refused = std::string("no permission for ") + name;
  struct stat about = {};
  if (stat(name, &about) == 0 && about.st_gid != 0 &&
      (about.st_mode & (S_IRGRP | S_IWGRP)) == (S_IRGRP | S_IWGRP)) {
    const std::string group = GroupName(tree, about.st_gid);
    if (!group.empty()) {
      return refused + ": members of the group " + group + " have it (usermod -aG " + group +
             " USER)";
    }
  }
  return refused +
         ": only root has access; a udev rule such as KERNEL==\"ipmi*\", GROUP=\"adm\", "
         "MODE=\"0660\" gives access to a group";
}

class KernelIpmi final : public IpmiDevice {
 public:
  KernelIpmi(const SystemTree& tree, const IpmiCalls& calls) : tree_(tree), calls_(calls) {}

  Result<void> Open(std::string& reason) override {
    fd_.reset();  // in a forked child: a shared descriptor would mix the answers of both processes
    for (const char* name : kNames) {
      const int fd = calls_.open(name, O_RDWR | O_CLOEXEC);
      if (fd >= 0) {
        fd_ = UniqueFd(fd);
        return {};
      }
      // The next name; a device file without a driver is none.
      if (errno == ENOENT || errno == ENXIO || errno == ENODEV) continue;
      const int error = errno;
      reason = error == EACCES || error == EPERM
                   ? WhyNotPermitted(tree_, name)
                   : std::string(name) + " cannot be opened: " + strerror(error);
      return Error{ErrcFromErrno(error), error, "the BMC's device cannot be opened"};
    }
    reason = WhyNone(tree_);
    return Error{Errc::kNoEvent, ENODEV, "the kernel has no BMC device"};
  }

  Result<std::size_t> Ask(const IpmiRequest& request, std::span<std::uint8_t> answer) override {
    // The kernel returns it in the answer.
    const long number = ++last_number_;
    Result<void> sent = Send(request, number);
    if (!sent) return sent.error();
    const std::uint64_t until = MonotonicNs() + kPatienceNs;
    for (std::uint64_t now = MonotonicNs(); now < until; now = MonotonicNs()) {
      pollfd wait = {fd_.get(), POLLIN, 0};
      // Rounded up: a wait of 0 ms would spin.
      const int ready = calls_.poll(&wait, 1, static_cast<int>((until - now) / 1'000'000 + 1));
      if (ready < 0 && errno != EINTR) return Failed();
      if (ready <= 0) continue;
      std::size_t size = 0;
      Result<bool> mine = Receive(number, answer, size);
      if (!mine) return mine.error();
      if (*mine) return size;
    }
    return Error{Errc::kSystem, ETIMEDOUT, "the BMC does not answer (it may be restarting)"};
  }

 private:
  // By errno, of the call just made.
  static Error Failed() noexcept {
    return {ErrcFromErrno(errno), errno, "the kernel refused a message to the BMC"};
  }

  Result<void> Send(const IpmiRequest& request, long number) {
    ipmi_system_interface_addr to = {};
    to.addr_type = IPMI_SYSTEM_INTERFACE_ADDR_TYPE;
    to.channel = IPMI_BMC_CHANNEL;
    to.lun = request.lun;
    // ipmi_req has a pointer to bytes that may be changed.
    std::vector<unsigned char> data(request.data.begin(), request.data.end());
    ipmi_req message = {};
    message.addr = reinterpret_cast<unsigned char*>(&to);
    message.addr_len = sizeof to;
    message.msgid = number;
    message.msg.netfn = request.netfn;
    message.msg.cmd = request.command;
    message.msg.data = data.data();
    message.msg.data_len = static_cast<unsigned short>(data.size());
    if (calls_.ioctl(fd_.get(), IPMICTL_SEND_COMMAND, &message) != 0) return Failed();
    return {};
  }

  // Takes one message. Returns false if the message is not the awaited answer (a late answer, an
  // event).
  Result<bool> Receive(long number, std::span<std::uint8_t> answer, std::size_t& size) {
    ipmi_addr from = {};
    unsigned char bytes[kMaxAnswer] = {};
    ipmi_recv message = {};
    message.addr = reinterpret_cast<unsigned char*>(&from);
    message.addr_len = sizeof from;
    message.msg.data = bytes;
    message.msg.data_len = sizeof bytes;
    // TRUNC: a longer message is cut (EMSGSIZE) and taken from the queue; without it the message
    // would stay there.
    const int taken = calls_.ioctl(fd_.get(), IPMICTL_RECEIVE_MSG_TRUNC, &message);
    if (taken != 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (taken != 0 && errno != EMSGSIZE) return Failed();
    if (message.recv_type != IPMI_RESPONSE_RECV_TYPE || message.msgid != number) return false;
    size = std::min({static_cast<std::size_t>(message.msg.data_len), sizeof bytes, answer.size()});
    std::copy(bytes, bytes + size, answer.begin());
    return true;
  }

  const SystemTree tree_;
  const IpmiCalls calls_;
  UniqueFd fd_;
  long last_number_ = 0;
};

}  // namespace

IpmiCalls IpmiCalls::Real() noexcept {
  return {
      [](const char* path, int flags) { return ::open(path, flags); },
      [](int fd, unsigned long request, void* argument) { return ::ioctl(fd, request, argument); },
      ::poll};
}

std::unique_ptr<IpmiDevice> MakeKernelIpmi(const SystemTree& tree, const IpmiCalls& calls) {
  return std::make_unique<KernelIpmi>(tree, calls);
}

}  // namespace csink

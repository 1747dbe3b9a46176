#include "core/counting/components/sensors/msr.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

// File: one device file for each CPU, read at the offset of the register. Devices that give access
// to a group of users are preferred to the one that only root may open.

namespace csink {

const DeviceMsrReader::Device& DeviceMsrReader::DeviceOf(unsigned cpu) {
  const auto known = devices_.find(cpu);
  // Refusals are remembered too: there may be hundreds of CPUs with several registers each.
  if (known != devices_.end()) return known->second;
  Device device;
  const std::string folder = "/dev/cpu/" + std::to_string(cpu) + "/";
  device.refusal = {Errc::kNotFound, ENOENT, "there is no MSR device"};
  for (const char* name : {"amsr", "msr_safe", "msr"}) {
    const std::string path = tree_.PathOf(folder + name);
    device.fd.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (device.fd) break;
    // Of several refusals the last one is reported; a missing device is reported only if all are
    // missing.
    if (errno == ENOENT) continue;
    device.refusal = {ErrcFromErrno(errno), errno, "an MSR device cannot be opened"};
    // The CPU is offline.
    if (errno == ENXIO) device.refusal.code = Errc::kNotFound;
  }
  return devices_.emplace(cpu, std::move(device)).first->second;
}

Result<std::uint64_t> DeviceMsrReader::Read(unsigned cpu, std::uint32_t number) noexcept {
  const Device& device = DeviceOf(cpu);
  if (!device.fd) return device.refusal;
  std::uint64_t value = 0;
  // The kernel returns EIO for a register that the CPU does not have.
  const ssize_t got = pread(device.fd.get(), &value, sizeof value, number);
  if (got == sizeof value) return value;
  if (got < 0 && (errno == EPERM || errno == EACCES)) {
    return Error{Errc::kPermission, errno, "no permission to read MSRs"};
  }
  return Error{Errc::kNoEvent, got < 0 ? errno : 0, "the processor does not have this MSR"};
}

std::string MsrObstacle(const Error& error) {
  switch (error.code) {
    case Errc::kNotFound:
      return "/dev/cpu/*/msr does not exist (modprobe msr)";
    case Errc::kPermission:
      return "no permission to read /dev/cpu/*/msr (needs root with CAP_SYS_RAWIO, or msr_safe and "
             "its group)";
    default:
      return "the processor's energy registers contain no value";
  }
}

}  // namespace csink

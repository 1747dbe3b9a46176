#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/system/system_tree.h"
#include "core/util/result.h"
#include "core/util/unique_fd.h"

namespace csink {

/// The model-specific registers of the processors; another one in tests.
/// Threads: one at a time.
class MsrReader {
 public:
  virtual ~MsrReader() = default;
  /// Errors: kNotFound (no device: the module msr is not loaded), kPermission, kNoEvent (this
  /// processor has no such register).
  virtual Result<std::uint64_t> Read(unsigned cpu, std::uint32_t number) noexcept = 0;
};

/// The first of /dev/cpu/N/amsr, msr_safe and msr that can be opened: pread(2) of 8 bytes at the
/// register's number (Linux, Documentation of the msr driver; msr_safe lets groups read).
class DeviceMsrReader final : public MsrReader {
 public:
  explicit DeviceMsrReader(const SystemTree& tree) : tree_(tree) {}
  Result<std::uint64_t> Read(unsigned cpu, std::uint32_t number) noexcept override;

 private:
  struct Device {
    UniqueFd fd;
    Error refusal;
  };
  const Device& DeviceOf(unsigned cpu);

  const SystemTree tree_;
  std::map<unsigned, Device> devices_;
};

/// The sentence for a refusal.
std::string MsrObstacle(const Error& error);

// Numbers of registers: Intel SDM volume 4, table 2-2 and those of the models.
inline constexpr std::uint32_t kMsrTsc = 0x10;
inline constexpr std::uint32_t kMsrMperf = 0xe7;
inline constexpr std::uint32_t kMsrAperf = 0xe8;
inline constexpr std::uint32_t kMsrThermStatus = 0x19c;
inline constexpr std::uint32_t kMsrTemperatureTarget = 0x1a2;
inline constexpr std::uint32_t kMsrPackageThermStatus = 0x1b1;
inline constexpr std::uint32_t kMsrRaplPowerUnit = 0x606;
inline constexpr std::uint32_t kMsrPackageEnergy = 0x611;
inline constexpr std::uint32_t kMsrPackagePowerInfo = 0x614;
inline constexpr std::uint32_t kMsrDramEnergy = 0x619;
inline constexpr std::uint32_t kMsrPp0Energy = 0x639;
inline constexpr std::uint32_t kMsrPp1Energy = 0x641;
inline constexpr std::uint32_t kMsrPlatformEnergy = 0x64d;
// AMD PPR for family 17h, 2.1.
inline constexpr std::uint32_t kMsrAmdPowerUnit = 0xc0010299;
inline constexpr std::uint32_t kMsrAmdCoreEnergy = 0xc001029a;
inline constexpr std::uint32_t kMsrAmdPackageEnergy = 0xc001029b;

}  // namespace csink

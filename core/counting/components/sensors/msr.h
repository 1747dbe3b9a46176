#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/counting/system/system_tree.h"
#include "core/util/result.h"
#include "core/util/unique_fd.h"

/// File: model-specific registers through the kernel's msr driver.

namespace csink {

/// Reads model-specific registers of the processors; tests replace it.
/// Threads: one at a time. Signals: not safe. A read interrupts the CPU that is asked, because a
/// register can be read on its own CPU only.
class MsrReader {
 public:
  virtual ~MsrReader() = default;
  /// Reads register `number` of CPU `cpu` (the kernel's number). Errors: kNotFound (there is no
  /// device: the module msr is not loaded, or the CPU is offline), kPermission, kNoEvent (the
  /// processor has no such register).
  virtual Result<std::uint64_t> Read(unsigned cpu, std::uint32_t number) noexcept = 0;
};

/// Reads by pread(2) of 8 bytes at the register's number, from the first of /dev/cpu/N/amsr,
/// msr_safe and msr that can be opened (the kernel's msr driver, msr(4); msr_safe can permit
/// groups). A device is opened at its CPU's first read, and the result is remembered.
/// Owns: one descriptor for each processor read so far.
class DeviceMsrReader final : public MsrReader {
 public:
  explicit DeviceMsrReader(const SystemTree& tree) : tree_(tree) {}
  Result<std::uint64_t> Read(unsigned cpu, std::uint32_t number) noexcept override;

 private:
  /// A CPU's device; where fd is empty, refusal is the answer to each Read.
  struct Device {
    UniqueFd fd;
    Error refusal;
  };
  /// The device of a CPU, opened at the first call.
  const Device& DeviceOf(unsigned cpu);

  /// The root of /dev; copied.
  const SystemTree tree_;
  std::map<unsigned, Device> devices_;
};

/// Explains a failed Read in a phrase for the user, with what would permit it. Other errors than
/// kNotFound and kPermission are explained as registers without energy.
std::string MsrObstacle(const Error& error);

// Register numbers: Intel SDM volume 4, table 2-2 and the tables of the models. TSC, MPERF and
// APERF are the same on AMD.
/// Time stamp counter; MPERF and APERF, whose ratio is the actual by the nominal frequency.
inline constexpr std::uint32_t kMsrTsc = 0x10;
inline constexpr std::uint32_t kMsrMperf = 0xe7;
inline constexpr std::uint32_t kMsrAperf = 0xe8;
/// Temperatures: of a core, the target that both are measured from, and of the package.
inline constexpr std::uint32_t kMsrThermStatus = 0x19c;
inline constexpr std::uint32_t kMsrTemperatureTarget = 0x1a2;
inline constexpr std::uint32_t kMsrPackageThermStatus = 0x1b1;
/// Units of power, energy and time for the registers below.
inline constexpr std::uint32_t kMsrRaplPowerUnit = 0x606;
/// Energy of a package, and its limits of power.
inline constexpr std::uint32_t kMsrPackageEnergy = 0x611;
inline constexpr std::uint32_t kMsrPackagePowerInfo = 0x614;
/// Energies of the memory, power planes 0 and 1, and the platform.
inline constexpr std::uint32_t kMsrDramEnergy = 0x619;
inline constexpr std::uint32_t kMsrPp0Energy = 0x639;
inline constexpr std::uint32_t kMsrPp1Energy = 0x641;
inline constexpr std::uint32_t kMsrPlatformEnergy = 0x64d;
// AMD PPR for family 17h, 2.1.
/// The same units as Intel's; energies of a core and of the package.
inline constexpr std::uint32_t kMsrAmdPowerUnit = 0xc0010299;
inline constexpr std::uint32_t kMsrAmdCoreEnergy = 0xc001029a;
inline constexpr std::uint32_t kMsrAmdPackageEnergy = 0xc001029b;

}  // namespace csink

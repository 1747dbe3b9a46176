#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/system/cpuid.h"
#include "core/system/system_tree.h"

/// File: which CPUs this machine has, from /proc/cpuinfo, /sys/devices/system and cpuid.
///
/// Every number that nobody tells is 0, every text "". Threads: any. Nothing is cached here.

namespace csink {

enum class CpuVendor : unsigned char {
  kUnknown,
  kIntel,
  kAmd,
  kIbm,
  kArm,  ///< Any maker of CPUs with Arm's architecture; see CpuIdentity::implementer
};

/// Who made the CPU and which one it is, in the numbers of its own architecture.
struct CpuIdentity {
  CpuVendor vendor = CpuVendor::kUnknown;
  std::string vendor_name;   ///< "GenuineIntel", "AuthenticAMD"; on Arm the implementer's name
  unsigned implementer = 0;  ///< Arm: MIDR_EL1[31:24]; 0 elsewhere
  std::string model_name;    ///< "AMD EPYC", "Neoverse-N1"
  unsigned family = 0;       ///< x86: display family; Arm: architecture (8)
  unsigned model = 0;        ///< x86: display model; Arm: part number
  unsigned stepping = 0;     ///< x86: stepping; Arm: revision (the n of rMpN)
  unsigned variant = 0;      ///< Arm: variant (the M of rMpN); 0 elsewhere
};

struct NumaNode {
  unsigned id = 0;
  std::vector<unsigned> cpus;  ///< Online ones
  std::uint64_t memory_bytes = 0;
};

struct CpuTopology {
  std::vector<unsigned> cpus;  ///< Online ones, as the kernel numbers them
  unsigned sockets = 0;
  unsigned cores_per_socket = 0;  ///< The average, rounded up
  unsigned threads_per_core = 0;  ///< The most: hybrid CPUs have cores with 1 and with 2
  std::vector<NumaNode> nodes;    ///< One with every CPU, where the kernel knows of none
};

struct CpuFrequency {
  unsigned max_mhz = 0;  ///< The fastest core's
  unsigned min_mhz = 0;
  double now_mhz = 0;  ///< Of the first CPU, when the kernel last looked
};

struct VirtualMachine {
  bool is_virtual = false;
  std::string vendor;   ///< The hypervisor's signature ("KVMKVMKVM") or its name
  std::string version;  ///< Where the hypervisor tells it
};

struct CpuInfo {
  CpuIdentity identity;
  CpuTopology topology;
  CpuFrequency frequency;
  VirtualMachine virtual_machine;
};

CpuIdentity ReadCpuIdentity(const SystemTree& tree, const CpuidFunction& cpuid);
CpuTopology ReadCpuTopology(const SystemTree& tree);
CpuFrequency ReadCpuFrequency(const SystemTree& tree, const CpuidFunction& cpuid,
                              const CpuTopology& topology);
VirtualMachine ReadVirtualMachine(const SystemTree& tree, const CpuidFunction& cpuid);

/// All of it.
CpuInfo ReadCpuInfo(const SystemTree& tree, const CpuidFunction& cpuid);

/// This machine's, where at least one CPU, socket, core and a frequency are always known: the
/// number of CPUs is then sysconf's, and the frequency estimated by a short loop (cycle_clock.h).
CpuInfo ReadHostCpuInfo();

}  // namespace csink

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/counting/system/cpuid.h"
#include "core/counting/system/system_tree.h"

/// File: the processors of this machine, from /proc/cpuinfo, /sys/devices/system and CPUID.
///
/// A number that no source states is 0, a text is "". Threads: any. Nothing is cached here.
/// Signals: not safe (heap).

namespace csink {

/// The maker of a processor, as far as formulas and tables depend on it.
enum class CpuVendor : unsigned char {
  kUnknown,
  kIntel,
  kAmd,
  kIbm,
  kArm,  ///< Any vendor of processors with Arm's architecture; see CpuIdentity::implementer
};

/// Vendor and model of a processor, in the numbers of its own architecture. A number that no source
/// states is 0.
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

/// A NUMA node. A node may have memory and no CPU, or the reverse.
struct NumaNode {
  unsigned id = 0;
  std::vector<unsigned> cpus;  ///< Its online CPUs
  std::uint64_t memory_bytes = 0;
};

/// The online CPUs, and how they form sockets, cores and NUMA nodes. Offline CPUs are not counted.
/// The product of sockets, cores and threads may exceed the number of CPUs: cores and threads are
/// an average and a maximum.
struct CpuTopology {
  std::vector<unsigned> cpus;  ///< Online CPUs, by the kernel's numbers
  /// Packages with at least one CPU that is online.
  unsigned sockets = 0;
  unsigned cores_per_socket = 0;  ///< The average, rounded up
  unsigned threads_per_core =
      0;                        ///< The largest value: hybrid machines have cores with 1 and with 2
  std::vector<NumaNode> nodes;  ///< A single node with all CPUs where the kernel reports none
};

/// Frequencies in MHz; 0: unknown. min_mhz and now_mhz are max_mhz where only that is known.
struct CpuFrequency {
  unsigned max_mhz = 0;  ///< Of the fastest core
  /// Of the slowest core; the same as max_mhz where no source states a range.
  unsigned min_mhz = 0;
  double now_mhz = 0;  ///< Of the first CPU, as the kernel last measured it
};

/// Whether this machine is a virtual one, and which hypervisor it has. is_virtual may be true
/// without a vendor.
struct VirtualMachine {
  bool is_virtual = false;
  std::string vendor;   ///< The hypervisor's signature ("KVMKVMKVM") or its name
  std::string version;  ///< "" where the hypervisor does not report it
};

/// All that is known of the processors.
struct CpuInfo {
  CpuIdentity identity;
  CpuTopology topology;
  CpuFrequency frequency;
  VirtualMachine virtual_machine;
};

/// The identity of the first CPU: from /proc/cpuinfo, else from MIDR_EL1 in sysfs, else from CPUID.
/// On hybrid machines other CPUs may have another model.
CpuIdentity ReadCpuIdentity(const SystemTree& tree, const CpuidFunction& cpuid);
/// The topology from sysfs, else from /proc/cpuinfo; without both, each CPU counts as a core of one
/// socket. `cpus` is empty where no source names a CPU.
CpuTopology ReadCpuTopology(const SystemTree& tree);
/// The frequencies of the CPUs in `topology`: from cpufreq, else /proc/cpuinfo, CPUID leaf 0x16 or
/// the device tree.
CpuFrequency ReadCpuFrequency(const SystemTree& tree, const CpuidFunction& cpuid,
                              const CpuTopology& topology);
/// The hypervisor: from CPUID and /proc/cpuinfo, else from Xen's files, DMI or the device tree. A
/// hypervisor that hides is not found.
VirtualMachine ReadVirtualMachine(const SystemTree& tree, const CpuidFunction& cpuid);

/// All of the above. Reads some files for each CPU, so callers keep the result.
CpuInfo ReadCpuInfo(const SystemTree& tree, const CpuidFunction& cpuid);

/// The same for this machine, with fallbacks so that at least one CPU, socket and core and a
/// frequency are always known: the number of CPUs is then sysconf's, and the frequency is measured
/// by a short loop (cycle_clock.h).
CpuInfo ReadHostCpuInfo();

}  // namespace csink

#include "core/counting/system/cpu_info.h"
#include "core/util/parse.h"

// File: hypervisors show themselves in different places, or hide. What one source says is kept, and
// the next ones fill the gaps.

namespace csink {
namespace {

// The twelve bytes of a hypervisor's name, in EBX, ECX, EDX (leaf 0 has another order).
std::string Signature(const CpuidRegisters& r) {
  std::string text;
  for (const std::uint32_t word : {r.ebx, r.ecx, r.edx}) {
    for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(word >> (8 * byte));
  }
  return std::string(Trimmed(text));
}

// The first leaf of the hypervisor's range holds its signature; the meaning of the others depends
// on the hypervisor.
VirtualMachine FromCpuid(const CpuidFunction& cpuid) {
  VirtualMachine machine;
  const auto version = cpuid(1, 0);
  // Bit 31 of ECX is reserved for hypervisors: no processor sets it (AMD APM volume 3, CPUID
  // Fn0000_0001).
  if (!version || !(version->ecx >> 31)) return machine;
  machine.is_virtual = true;
  const auto range = cpuid(0x4000'0000, 0);
  if (!range) return machine;
  machine.vendor = Signature(*range);
  const bool xen = machine.vendor == "XenVMMXenVMM";
  if (xen || machine.vendor == "Microsoft Hv") {  // Xen: public/arch-x86/cpuid.h; Hyper-V: TLFS 2.4
    const auto leaf = cpuid(xen ? 0x4000'0001 : 0x4000'0002, 0);
    const std::uint32_t pair = leaf ? (xen ? leaf->eax : leaf->ebx) : 0;
    // Major version in the upper, minor in the lower half.
    if (pair) machine.version = std::to_string(pair >> 16) + "." + std::to_string(pair & 0xffff);
  }
  return machine;
}

bool Contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

// The texts by which hypervisors identify themselves in the firmware's tables. Used where CPUID
// does not exist (Arm) or hides the hypervisor.
std::string FromDmi(const SystemTree& tree) {
  struct Sign {
    const char* file;
    const char* text;
    const char* name;
  };
  constexpr Sign kSigns[] = {
      {"product_name", "KVM", "KVM"},
      {"sys_vendor", "QEMU", "QEMU"},
      {"bios_vendor", "SeaBIOS", "QEMU"},
      {"sys_vendor", "VMware", "VMware"},
      {"product_name", "VirtualBox", "VirtualBox"},
      {"sys_vendor", "Xen", "Xen"},
      {"sys_vendor", "Parallels", "Parallels"},
      {"bios_vendor", "BHYVE", "bhyve"},
      {"product_name", "Google Compute Engine", "Google"},
      {"product_name", "OpenStack", "OpenStack"},
      {"product_name", "Apple Virtualization", "Apple"},
      {"product_name", "Virtual Machine", "Hyper-V"},  // sys_vendor is Microsoft Corporation
  };
  // The more special signs come first: KVM machines on QEMU have both names.
  const std::string folder = "/sys/class/dmi/id/";
  for (const Sign& sign : kSigns) {
    if (Contains(tree.Line(folder + sign.file), sign.text)) return sign.name;
  }
  // Amazon's bare-metal instances have the same vendor; their type contains ".metal".
  if (tree.Line(folder + "sys_vendor") == "Amazon EC2" &&
      !Contains(tree.Line(folder + "product_name"), ".metal")) {
    return "Amazon EC2";
  }
  return {};
}

std::string FromDeviceTree(const SystemTree& tree) {
  const std::string hypervisor = tree.Read("/proc/device-tree/hypervisor/compatible");
  if (!hypervisor.empty()) {
    const std::string_view first = std::string_view(hypervisor).substr(0, hypervisor.find('\0'));
    if (first == "linux,kvm") return "KVM";
    if (first.starts_with("xen,")) return "Xen";
    return std::string(first);
  }
  // The machine model of QEMU; no real board has this name.
  if (Trimmed(tree.Read("/proc/device-tree/model")) == "linux,dummy-virt") return "QEMU";
  return {};
}

}  // namespace

// Each source adds what the one before did not say: CPUID has the name, Xen's files a version, DMI
// and the device tree a name where there is no CPUID.
VirtualMachine ReadVirtualMachine(const SystemTree& tree, const CpuidFunction& cpuid) {
  VirtualMachine machine = FromCpuid(cpuid);
  const std::string& cpuinfo = tree.Cpuinfo();
  // Blanks around both, so that only the whole word matches.
  if (Contains(" " + std::string(FieldOf(cpuinfo, "flags")) + " ", " hypervisor ")) {
    machine.is_virtual = true;
  }
  if (const std::string type = tree.Line("/sys/hypervisor/type"); type == "xen") {
    // The first domain (Dom0) runs under Xen, too, although it has the machine's devices: it has no
    // counters.
    machine.is_virtual = true;
    if (machine.vendor.empty()) machine.vendor = "Xen";
    const std::string major = tree.Line("/sys/hypervisor/version/major");
    const std::string minor = tree.Line("/sys/hypervisor/version/minor");
    if (machine.version.empty() && !major.empty()) machine.version = major + "." + minor;
  }
  if (machine.vendor.empty()) {
    machine.vendor = FromDmi(tree);
    if (machine.vendor.empty()) machine.vendor = FromDeviceTree(tree);
    machine.is_virtual |= !machine.vendor.empty();
  }
  return machine;
}

}  // namespace csink

#include <charconv>

#include "core/counting/system/cpu_info.h"
#include "core/util/parse.h"

// x86 and Arm have different numbers for a model (family, model, stepping; implementer, part,
// variant, revision), and kernels show them in different places. "CPU implementer" in /proc/cpuinfo
// marks an Arm machine. Names that the kernel does not print come from tables.

namespace csink {
namespace {

// A number of /proc/cpuinfo, decimal or with 0x; 0: not a number.
unsigned NumberOf(std::string_view text) noexcept {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

struct Name {
  unsigned number;
  const char* name;
};

template <std::size_t N>
std::string NameOf(const Name (&names)[N], unsigned number) {
  for (const Name& entry : names) {
    if (entry.number == number) return entry.name;
  }
  return {};
}

// MIDR_EL1.Implementer (Arm Architecture Reference Manual, D19.2.122).
constexpr Name kImplementers[] = {
    {0x41, "ARM"},     {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x44, "DEC"},
    {0x46, "Fujitsu"}, {0x48, "HiSilicon"}, {0x49, "Infineon"}, {0x4d, "Motorola"},
    {0x4e, "NVIDIA"},  {0x50, "APM"},       {0x51, "Qualcomm"}, {0x53, "Samsung"},
    {0x56, "Marvell"}, {0x61, "Apple"},     {0x69, "Intel"},    {0xc0, "Ampere"},
};

// MIDR_EL1.PartNum of Arm's own cores (their technical reference manuals).
constexpr Name kArmParts[] = {
    {0xd03, "Cortex-A53"},  {0xd04, "Cortex-A35"},  {0xd05, "Cortex-A55"},  {0xd07, "Cortex-A57"},
    {0xd08, "Cortex-A72"},  {0xd09, "Cortex-A73"},  {0xd0a, "Cortex-A75"},  {0xd0b, "Cortex-A76"},
    {0xd0c, "Neoverse-N1"}, {0xd0d, "Cortex-A77"},  {0xd40, "Neoverse-V1"}, {0xd41, "Cortex-A78"},
    {0xd44, "Cortex-X1"},   {0xd46, "Cortex-A510"}, {0xd47, "Cortex-A710"}, {0xd48, "Cortex-X2"},
    {0xd49, "Neoverse-N2"}, {0xd4a, "Neoverse-E1"}, {0xd4b, "Cortex-A78C"}, {0xd4f, "Neoverse-V2"},
    {0xd81, "Cortex-A720"}, {0xd82, "Cortex-X4"},   {0xd84, "Neoverse-V3"}, {0xd8e, "Neoverse-N3"},
};

// The signatures of CPUID leaf 0, which /proc/cpuinfo prints as vendor_id.
CpuVendor VendorOf(std::string_view name) noexcept {
  if (name == "GenuineIntel") return CpuVendor::kIntel;
  if (name == "AuthenticAMD") return CpuVendor::kAmd;
  return CpuVendor::kUnknown;
}

// The bytes of a register as text, lowest first, as CPUID stores names.
std::string FourBytes(std::uint32_t word) {
  std::string text;
  for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(word >> (8 * byte));
  return text;
}

CpuIdentity FromCpuid(const CpuidFunction& cpuid) {
  CpuIdentity id;
  const auto names = cpuid(0, 0);
  const auto version = cpuid(1, 0);
  if (!names || !version) return id;
  id.vendor_name = FourBytes(names->ebx) + FourBytes(names->edx) + FourBytes(names->ecx);
  id.model_name = BrandString(cpuid);
  // Bits 3:0 stepping, 7:4 model, 11:8 family, 19:16 extended model, 27:20 extended family.
  id.stepping = version->eax & 15;
  id.family = (version->eax >> 8) & 15;
  id.model = (version->eax >> 4) & 15;
  // Display family and model: Intel SDM volume 2A, CPUID leaf 1; AMD APM volume 3, appendix E. Only
  // families 6 and 15 use the extended fields.
  if (id.family == 6 || id.family == 15) id.model |= (version->eax >> 12) & 0xf0;
  if (id.family == 15) id.family += (version->eax >> 20) & 0xff;
  return id;
}

// Fills in the names. A part without a name is shown by its number, so that the text is never
// empty.
void NameArm(CpuIdentity& id, std::string_view model_name) {
  id.vendor = CpuVendor::kArm;
  id.vendor_name = NameOf(kImplementers, id.implementer);
  id.model_name = model_name;
  if (id.model_name.empty() && id.implementer == 0x41) id.model_name = NameOf(kArmParts, id.model);
  if (id.vendor_name.empty()) id.vendor_name = "Arm implementer";
  if (id.model_name.empty()) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, id.model, 16);
    id.model_name = "part 0x" + std::string(digits, end.ptr);
  }
}

// /proc/cpuinfo of Arm prints the fields of MIDR_EL1, for each CPU; the first one counts.
CpuIdentity FromArmCpuinfo(std::string_view cpuinfo) {
  CpuIdentity id;
  id.implementer = NumberOf(FieldOf(cpuinfo, "CPU implementer"));
  id.family = NumberOf(FieldOf(cpuinfo, "CPU architecture"));
  id.variant = NumberOf(FieldOf(cpuinfo, "CPU variant"));
  id.model = NumberOf(FieldOf(cpuinfo, "CPU part"));
  id.stepping = NumberOf(FieldOf(cpuinfo, "CPU revision"));
  NameArm(id, FieldOf(cpuinfo, "model name"));
  return id;
}

// For kernels and recordings whose /proc/cpuinfo lacks the fields.
CpuIdentity FromMidr(std::uint32_t midr) {
  CpuIdentity id;
  id.implementer = midr >> 24;
  id.variant = (midr >> 20) & 15;
  id.family = 8;  // Linux shows the register in sysfs on Armv8 and later only
  id.model = (midr >> 4) & 0xfff;
  id.stepping = midr & 15;
  NameArm(id, {});
  return id;
}

}  // namespace

CpuIdentity ReadCpuIdentity(const SystemTree& tree, const CpuidFunction& cpuid) {
  const std::string& cpuinfo = tree.Cpuinfo();
  if (!FieldOf(cpuinfo, "CPU implementer").empty()) return FromArmCpuinfo(cpuinfo);
  if (const unsigned midr =
          NumberOf(tree.Line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"))) {
    return FromMidr(midr);
  }
  CpuIdentity id;
  if (const std::string_view vendor = FieldOf(cpuinfo, "vendor_id"); vendor.empty()) {
    id = FromCpuid(cpuid);
  } else {
    id.vendor_name = vendor;
    id.model_name = FieldOf(cpuinfo, "model name");
    id.family = NumberOf(FieldOf(cpuinfo, "cpu family"));
    id.model = NumberOf(FieldOf(cpuinfo, "model"));
    id.stepping = NumberOf(FieldOf(cpuinfo, "stepping"));
  }
  id.vendor = VendorOf(id.vendor_name);
  if (id.vendor_name.empty()) {  // POWER: "cpu : POWER9, altivec supported"
    id.model_name = FieldOf(cpuinfo, "cpu");
    if (id.model_name.starts_with("POWER")) {
      id.vendor = CpuVendor::kIbm;
      id.vendor_name = "IBM";
    }
  }
  return id;
}

}  // namespace csink

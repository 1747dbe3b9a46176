#include "core/events/cpu_tables.h"

#include <cstdlib>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/events/event_alias.h"
#include "core/events/sysfs_event.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"

// File: reads the identification of the processor (CPUID on x86, MIDR_EL1 in sysfs on Arm) and
// looks for the names of its tables in fixed lists. A table that is found is added with the
// perf_event_attr.type that the kernel gives its PMU.

namespace csink {
namespace {

// MIDR_EL1[31:24], the designer of a core.
constexpr std::uint32_t kImplementerArm = 0x41;
constexpr std::uint32_t kImplementerFujitsu = 0x46;
constexpr std::uint32_t kImplementerNvidia = 0x4e;

// The highest CPU number + 1, from the file `possible`: ranges in ascending order, "0-3,8-11"
// (Documentation/admin-guide/cputopology.rst). Without it, more than any processor with tables has:
// a look-up of a missing file costs a microsecond.
unsigned EndOfCpus(const char* cpus) noexcept {
  constexpr unsigned kMostCpus = 1024;
  Text<160> path;
  path.Add(cpus).Add("/possible");
  const SmallFile<> file(path.c_str());
  std::string_view text = file.view();
  text = NextToken(text, '\n');
  // The last range, and its last number; a single CPU has no '-'.
  std::string_view range;
  while (!text.empty()) range = NextToken(text, ',');
  const std::string_view first = NextToken(range, '-');
  const Result<std::uint64_t> last = ParseUnsigned(range.empty() ? first : range);
  return last && *last < kMostCpus ? static_cast<unsigned>(*last) + 1 : kMostCpus;
}

// By CPUID (Intel SDM vol. 2A and AMD APM vol. 3, CPUID). Leaf 0 returns the vendor's name in EBX,
// EDX, ECX, hence the order of the outputs. Leaf 1 returns family and model in EAX: 4 bits each,
// with an extension that is added to family 15 and put in front of the models of families 6 and 15.
// A processor without CPUID has the vendor kOther.
#if defined(__x86_64__) || defined(__i386__)
CpuFacts ReadProcessor() noexcept {
  CpuFacts cpu;
  unsigned highest = 0;
  unsigned name[3] = {};
  if (!__get_cpuid(0, &highest, &name[0], &name[2], &name[1])) return cpu;
  const std::string_view vendor(reinterpret_cast<const char*>(name), sizeof(name));
  if (vendor == "AuthenticAMD") cpu.vendor = CpuFacts::Vendor::kAmd;
  if (vendor == "GenuineIntel") cpu.vendor = CpuFacts::Vendor::kIntel;
  unsigned version = 0;
  unsigned other = 0;
  if (!__get_cpuid(1, &version, &other, &other, &other)) return cpu;
  cpu.family = version >> 8 & 0xf;
  cpu.model = version >> 4 & 0xf;
  if (cpu.family == 6 || cpu.family == 15) cpu.model |= version >> 12 & 0xf0;
  if (cpu.family == 15) cpu.family += version >> 20 & 0xff;
  return cpu;
}
#elif defined(__aarch64__)
CpuFacts ReadProcessor() noexcept {
  CpuFacts cpu;
  cpu.vendor = CpuFacts::Vendor::kArm;
  ReadMidrs("/sys/devices/system/cpu", cpu.midr);
  return cpu;
}
#else
CpuFacts ReadProcessor() noexcept { return {}; }
#endif

// Reads the type of a PMU below cpu.devices. Returns false if the kernel does not have that PMU.
bool ReadType(const CpuFacts& cpu, std::string_view device, std::uint32_t& type) noexcept {
  return ReadPmuType(cpu.devices, device, type);
}

// Collects the tables of one processor.
class Choice {
 public:
  explicit Choice(const CpuFacts& cpu) noexcept : cpu_(cpu) {}

  // Adds a table if there is room. `forced`: the user named it in LIBPFM_FORCE_PMU, so it is listed
  // even where the kernel lacks its PMU.
  void Add(const EventTable& table, bool forced) noexcept {
    if (chosen_.count == kMostPresentTables) return;
    PresentTable present;
    present.table = &table;
    if (*table.device != 0 && !ReadType(cpu_, table.device, present.type)) {
      // An L3 PMU has no other type, so its table is left out. Where the kernel does not show the
      // core types of a hybrid processor, its cores count raw events.
      if (table.arch == TableArch::kAmdL3) {
        if (!forced) return;
        present.can_encode = false;
      }
    }
    chosen_.tables[chosen_.count++] = present;
  }
  // Adds the table with this name, if there is one. `where_shown`: only if the kernel has its PMU.
  void Add(std::string_view name, bool where_shown = false) noexcept {
    std::uint32_t type = 0;
    for (std::size_t i = 0; i < kEventTableCount; ++i) {
      const EventTable& table = kEventTables[i];
      if (table.name != name) continue;
      if (!where_shown || ReadType(cpu_, table.device, type)) Add(table, false);
    }
  }
  const PresentTables& chosen() const noexcept { return chosen_; }

  // Each adds the tables of a processor of one vendor, by family and model or by part number.
  void Amd() noexcept;
  void Intel() noexcept;
  void Arm() noexcept;
  void Forced(std::string_view names) noexcept;

 private:
  const CpuFacts& cpu_;
  PresentTables chosen_;
};

// Family 1Ah is Zen 5 and Zen 6. Models 00h-4Fh and 60h-7Fh are Zen 5, all others are treated as
// Zen 6.
void Choice::Amd() noexcept {
  if (cpu_.family != 0x1a) return;
  const bool zen5 = cpu_.model <= 0x4f || (cpu_.model >= 0x60 && cpu_.model <= 0x7f);
  Add(zen5 ? "amd64_fam1ah_zen5" : "amd64_fam1ah_zen6");
  Add(zen5 ? "amd64_fam1ah_zen5_l3" : "amd64_fam1ah_zen6_l3");
}

// By family and model (Intel's mapfile.csv of August 2026, github.com/intel/perfmon). A hybrid
// processor has a table for each kind of cores that the kernel shows; a virtual machine may show
// its model and P cores only.
void Choice::Intel() noexcept {
  constexpr struct {
    unsigned family;
    unsigned model;
    /// The further ones where the kernel has their PMU. No pointers: those would be relocated.
    char tables[3][8];
  } kModels[] = {
      {6, 0x97, {"adl_glc", "adl_grt"}},             // Alder Lake
      {6, 0x9a, {"adl_glc", "adl_grt"}},             //
      {6, 0xb7, {"adl_glc", "adl_grt"}},             // Raptor Lake
      {6, 0xba, {"adl_glc", "adl_grt"}},             //
      {6, 0xbf, {"adl_glc", "adl_grt"}},             //
      {6, 0xbe, {"adl_grt"}},                        // Alder Lake N
      {6, 0x8f, {"spr"}},                            // Sapphire Rapids
      {6, 0xcf, {"emr"}},                            // Emerald Rapids
      {6, 0xad, {"gnr"}},                            // Granite Rapids
      {6, 0xae, {"gnr"}},                            //
      {6, 0xaa, {"mtl_rwc", "mtl_cmt"}},             // Meteor Lake
      {6, 0xac, {"mtl_rwc", "mtl_cmt"}},             //
      {6, 0xb5, {"mtl_rwc", "mtl_cmt"}},             // Arrow Lake U
      {6, 0xbd, {"lnl_lnc", "lnl_skt"}},             // Lunar Lake
      {6, 0xc5, {"arl_lnc", "arl_skt", "arl_cmt"}},  // Arrow Lake H
      {6, 0xc6, {"arl_lnc", "arl_skt"}},             // Arrow Lake
      {6, 0xcc, {"ptl_cgc", "ptl_dkt"}},             // Panther Lake
      {6, 0xd5, {"ptl_cgc", "ptl_dkt"}},             // Wildcat Lake
      {6, 0xe5, {"ptl_cgc", "ptl_dkt"}},             //
      {18, 0x01, {"nvl_cyc", "nvl_aw"}},             // Nova Lake
      {18, 0x03, {"nvl_cyc", "nvl_aw"}},             //
      {6, 0xaf, {"srf"}},                            // Sierra Forest
      {6, 0xb6, {"grr"}},                            // Grand Ridge
      {6, 0xdd, {"cwf"}},                            // Clearwater Forest
  };
  for (const auto& known : kModels) {
    if (known.family != cpu_.family || known.model != cpu_.model) continue;
    Add(known.tables[0]);
    Add(known.tables[1], true);
    Add(known.tables[2], true);
    return;
  }
}

// MIDR_EL1[15:4] is the part number. Each kind of cores adds its own table, so that a processor of
// two kinds has two.
void Choice::Arm() noexcept {
  constexpr struct {
    std::uint32_t implementer;
    std::uint32_t part;
    std::string_view table;
  } kParts[] = {
      {kImplementerArm, 0xd8e, "arm_n3"},         {kImplementerArm, 0xd84, "arm_v3"},
      {kImplementerArm, 0xd82, "arm_cortex_x4"},  {kImplementerFujitsu, 0x003, "arm_monaka"},
      {kImplementerNvidia, 0x010, "arm_olympus"},
  };
  for (const std::uint32_t midr : cpu_.midr) {
    for (const auto& part : kParts) {
      if (midr >> 24 == part.implementer && (midr >> 4 & 0xfff) == part.part) Add(part.table);
    }
  }
}

// Names are compared without regard to case. Names that no table has are skipped: libpfm4 reads the
// same variable and may know them.
void Choice::Forced(std::string_view names) noexcept {
  while (!names.empty()) {
    const std::string_view name = NextToken(names, ',');
    for (std::size_t i = 0; i < kEventTableCount; ++i) {
      if (EqualsIgnoringCase(name, kEventTables[i].name)) Add(kEventTables[i], true);
    }
  }
}

}  // namespace

// From sysfs instead of the register: reading the register (which the kernel emulates) gives the
// value of the core that the thread runs on, while this function needs the values of all cores.
void ReadMidrs(const char* cpus, std::uint32_t (&midr)[4]) noexcept {
  std::size_t kinds = 0;
  const unsigned end = EndOfCpus(cpus);
  for (unsigned number = 0; number < end; ++number) {
    Text<160> path;
    path.Add(cpus).Add("/cpu").Number(number).Add("/regs/identification/midr_el1");
    // The file contains "0x" and 16 digits. The kernel removes the folder regs while the CPU is
    // offline (cpuid_cpu_offline in arch/arm64/kernel/cpuinfo.c), so a missing file is no end.
    const SmallFile<32> file(path.c_str());
    std::string_view text = file.view();
    text = NextToken(text, '\n');
    if (!text.starts_with("0x")) continue;
    text.remove_prefix(2);
    const Result<std::uint64_t> value = ParseHex(text);
    if (!value) continue;
    bool known = false;
    for (std::size_t i = 0; i < kinds; ++i) known |= midr[i] == *value;
    // Values beyond four are dropped: no processor with tables has more kinds of cores.
    if (!known && kinds < 4) midr[kinds++] = static_cast<std::uint32_t>(*value);
  }
}

CpuFacts CpuFacts::Read() noexcept {
  CpuFacts cpu = ReadProcessor();
  // secure_getenv, as a set-user-ID program must not be steered by its caller's environment.
  cpu.forced = secure_getenv("LIBPFM_FORCE_PMU");
  return cpu;
}

PresentTables TablesOf(const CpuFacts& cpu) noexcept {
  Choice choice(cpu);
  if (cpu.forced && *cpu.forced != 0) {
    choice.Forced(cpu.forced);
  } else if (cpu.vendor == CpuFacts::Vendor::kAmd) {
    choice.Amd();
  } else if (cpu.vendor == CpuFacts::Vendor::kIntel) {
    choice.Intel();
  } else if (cpu.vendor == CpuFacts::Vendor::kArm) {
    choice.Arm();
  }
  return choice.chosen();
}

}  // namespace csink

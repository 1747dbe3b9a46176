// The tables of processors that libpfm4 does not know, held against libpfm4 where it knows one.
#include "core/events/event_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/events/cpu_tables.h"
#include "core/events/event_listing.h"
#include "core/events/pfm_library.h"
#include "tests/fakes/fake_pfm.h"
#include "tests/fakes/one_pmu_pfm.h"

namespace csink {
namespace {

constexpr int kLevels = PFM_PLM0 | PFM_PLM3;

CpuFacts Forced(const char* names) {
  CpuFacts cpu;
  cpu.forced = names;
  cpu.devices = "/nowhere";
  return cpu;
}

const PfmLibrary& TablesAlone(const char* names) {
  const PfmLibrary* pfm = PfmLibrary::WithTables(nullptr, Forced(names));
  EXPECT_NE(pfm, nullptr) << names;
  return *pfm;
}

PfmEncoding Encode(const PfmLibrary& pfm, const std::string& event, int levels = kLevels) {
  PfmEncoding answer;
  pfm.Encode(event.c_str(), levels, answer);
  return answer;
}

/// "0 type 4 config 3c ..." of one answer, to be compared as a text.
std::string Told(const PfmEncoding& answer) {
  if (answer.code != PFM_SUCCESS) return "error " + std::to_string(answer.code);
  Text<1400> text;
  const perf_event_attr& attr = answer.attr;
  text.Add("type ").Number(attr.type).Add(" config ").Hex(attr.config).Add(' ');
  text.Hex(attr.config1).Add(' ').Hex(attr.config2).Add(" exclude ").Number(attr.exclude_user);
  text.Number(attr.exclude_kernel).Number(attr.exclude_hv).Number(attr.exclude_guest);
  text.Number(attr.exclude_host).Add(" precise ").Number(attr.precise_ip).Add(" rate ");
  text.Number(attr.sample_period).Add(' ').Number(attr.freq).Add(" cpu ").Signed(answer.cpu);
  text.Add(' ').Number(attr.exclusive).Number(attr.pinned).Add(' ').Add(answer.canonical.view());
  return text.c_str();
}

/// What an event of a PMU has behind it: unit masks and modifiers by name, with their kinds.
std::set<std::string> AttributeNames(const PfmLibrary& pfm, const pfm_event_info_t& event) {
  std::set<std::string> names;
  ForEachPfmAttribute(pfm, event, [&](const pfm_event_attr_info_t& attribute) {
    names.insert(std::string(attribute.name) + "/" + std::to_string(attribute.type));
    return true;
  });
  return names;
}

// ---------------------------------------------------------------- every table

class EveryTable : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryTable, EncodesEachEventAndEachUnitMask) {
  const EventTable& table = kEventTables[GetParam()];
  if (table.arch == TableArch::kAmdL3) {
    EXPECT_EQ(Encode(TablesAlone(table.name), std::string(table.name) + "::UNC_L3_REQUESTS").code,
              PFM_ERR_NOTSUPP)
        << "the kernel of this test has no such PMU";
    return;
  }
  const PfmLibrary& pfm = TablesAlone(table.name);
  const TableView view(table);
  ASSERT_GT(view.size(), 20u);
  for (std::size_t i = 0; i < view.size(); ++i) {
    const std::string event = std::string(table.name) + "::" + NameOf(view[i]);
    const PfmEncoding bare = Encode(pfm, event);
    EXPECT_TRUE(bare.code == PFM_SUCCESS || (view[i].masks != 0 && bare.code == PFM_ERR_UMASK))
        << event << ": " << bare.code;
    EXPECT_GE(pfm.find_event(event.c_str()), 0);
    for (unsigned k = 0; k < view[i].masks; ++k) {
      const std::string masked = event + ":" + NameOf(MasksOf(view[i])[k]);
      EXPECT_EQ(Encode(pfm, masked).code, PFM_SUCCESS) << masked;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EventTables, EveryTable, testing::Range(std::size_t{0}, kEventTableCount),
                         [](const auto& info) {
                           return std::string(kEventTables[info.param].name);
                         });

// ---------------------------------------------------------------- encodings

struct Known {
  const char* table;
  const char* event;
  std::uint64_t config;
  std::uint64_t config1;
};

class EventTables : public testing::Test {};

// The numbers of the vendors' manuals: AMD's PPR of family 1Ah, Intel's event list, Arm's ARM.
TEST_F(EventTables, HaveTheVendorsNumbers) {
  const Known known[] = {
      {"amd64_fam1ah_zen5", "CYCLES_NOT_IN_HALT", 0x76, 0},
      {"amd64_fam1ah_zen5", "RETIRED_INSTRUCTIONS", 0xc0, 0},
      {"amd64_fam1ah_zen5", "RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS", 0x103, 0},
      {"amd64_fam1ah_zen5", "RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS:MULT_FLOPS", 0x303, 0},
      {"amd64_fam1ah_zen5", "RETIRED_FP_OPS_BY_TYPE:VECTOR_ALL", 0xf00a, 0},
      // Event bits 8 to 11 are bits 32 to 35 of the register.
      {"amd64_fam1ah_zen5", "P0_FREQ_CYCLES_NOT_IN_HALT", 0x100000120, 0},
      {"amd64_fam1ah_zen5", "CYCLES_NOT_IN_HALT:c=2:i:e", 0x2840076, 0},
      {"spr", "OCR:DEMAND_DATA_RD_ANY_RESPONSE", 0x12a, 0x10001},
      {"spr", "FRONTEND_RETIRED:LATENCY_GE_8", 0x1c6, 0x600806},
      {"emr", "INST_RETIRED:ANY_P", 0xc0, 0},
      {"gnr", "CPU_CLK_UNHALTED:THREAD", 0x200, 0},
      {"gnr", "CYCLE_ACTIVITY:STALLS_TOTAL", 0x40004a3, 0},
      {"gnr", "MEM_TRANS_RETIRED:LOAD_LATENCY_GT_64", 0x1cd, 64},
      {"adl_glc", "TOPDOWN:SLOTS", 0x400, 0},
      // libpfm4 4.13 has other codes for these five.
      {"spr", "TOPDOWN:BACKEND_BOUND_SLOTS", 0x2a4, 0},
      {"spr", "ARITH:IDIV_ACTIVE", 0x10008b0, 0},
      {"gnr", "MEM_TRANS_RETIRED:STORE_SAMPLE", 0x2cd, 0},
      {"gnr", "OCR:DEMAND_DATA_RD_CXL_MEM", 0x12a, 0x703c00001},
      {"adl_glc", "CPU_CLK_UNHALTED:DISTRIBUTED", 0x2ec, 0},
      // Intel's event files of 2026 (github.com/intel/perfmon), as perf spells them.
      {"lnl_lnc", "mem_load_retired.l3_miss", 0x20d1, 0},
      {"lnl_lnc", "cpu_clk_unhalted.thread", 0x200, 0},
      {"lnl_lnc", "OCR.DEMAND_DATA_RD.L3_MISS", 0x12a, 0x9e7fa000001},
      {"lnl_skt", "OCR:DEMAND_DATA_RD_ANY_RESPONSE", 0x1b7, 0x10001},
      {"ptl_dkt", "L2_REQUEST:MISS", 0x10000007f24, 0},
      {"mtl_cmt", "MEM_UOPS_RETIRED:LOAD_LATENCY_GT_32", 0x5d0, 32},
      {"mtl_rwc", "FRONTEND_RETIRED:L2_MISS", 0x3c6, 0x13},
      {"arl_lnc", "br_misp_retired.all_branches:u", 0xc5, 0},
      {"arl_cmt", "INST_RETIRED:ANY", 0x100, 0},
      {"ptl_dkt", "MACHINE_CLEARS:MRN_NUKE_FAST", 0x8000000010c3, 0},
      {"ptl_cgc", "UOPS_RETIRED:STALLS", 0x18002c2, 0},
      {"nvl_cyc", "TOPDOWN:SLOTS_P", 0x1a4, 0},
      {"nvl_aw", "CPU_CLK_UNHALTED:THREAD", 0x200, 0},
      {"srf", "LONGEST_LAT_CACHE:MISS", 0x412e, 0},
      {"grr", "BR_INST_RETIRED:ALL_BRANCHES", 0xc4, 0},
      {"cwf", "LONGEST_LAT_CACHE:REFERENCE", 0x4f2e, 0},
      {"adl_grt", "TOPDOWN_RETIRING:ALL", 0xc2, 0},
      {"adl_grt", "BR_INST_RETIRED:NEAR_CALL", 0xf9c4, 0},
      {"arm_v3", "CPU_CYCLES", 0x11, 0},
      {"arm_n3", "INST_RETIRED", 0x8, 0},
      {"arm_monaka", "L1D_CACHE_REFILL", 0x3, 0},
  };
  for (const Known& one : known) {
    const PfmEncoding answer = Encode(TablesAlone(one.table), one.event);
    ASSERT_EQ(answer.code, PFM_SUCCESS) << one.table << " " << one.event;
    EXPECT_EQ(answer.attr.config, one.config) << one.table << " " << one.event;
    EXPECT_EQ(answer.attr.config1, one.config1) << one.event;
    EXPECT_EQ(answer.attr.type, PERF_TYPE_RAW);
  }
}

TEST_F(EventTables, RefuseAsLibpfm4Does) {
  const PfmLibrary& zen5 = TablesAlone("amd64_fam1ah_zen5");
  EXPECT_EQ(Encode(zen5, "NO_SUCH_EVENT").code, PFM_ERR_NOTFOUND);
  EXPECT_EQ(Encode(zen5, "other::CYCLES_NOT_IN_HALT").code, PFM_ERR_NOTFOUND);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:NOTHING").code, PFM_ERR_ATTR);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:c=256").code, PFM_ERR_ATTR_VAL);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:c").code, PFM_ERR_ATTR_VAL);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:c=1x").code, PFM_ERR_ATTR_VAL);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:e=2").code, PFM_ERR_ATTR_VAL);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:u:u=0").code, PFM_ERR_ATTR_SET);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT:").code, PFM_ERR_ATTR);
  EXPECT_EQ(Encode(zen5, "CYCLES_NOT_IN_HALT@4").code, PFM_ERR_NOTFOUND);
  EXPECT_EQ(Encode(zen5, "RETIRED_X87_FP_OPS").code, PFM_ERR_UMASK);
  EXPECT_EQ(Encode(zen5, "RETIRED_FP_OPS_BY_TYPE:SCALAR_ADD:SCALAR_SUB").code, PFM_ERR_FEATCOMB);
}

TEST_F(EventTables, RefuseDottedNamesThatNoMaskHas) {
  const PfmLibrary& lion_cove = TablesAlone("lnl_lnc");
  EXPECT_EQ(Encode(lion_cove, "OCR.DEMAND_DATA_RD.NOTHING").code, PFM_ERR_ATTR);
  EXPECT_EQ(Encode(lion_cove, "OCR." + std::string(200, 'A') + ".B").code, PFM_ERR_ATTR);
}

TEST_F(EventTables, AddTheDefaultsOfGroupsThatAreNotNamed) {
  const PfmLibrary& pfm = TablesAlone("amd64_fam1ah_zen5");
  EXPECT_THAT(
      Encode(pfm, "RETIRED_SSE_AVX_FLOPS:MAC_FLOPS").canonical.c_str(),
      testing::StartsWith("amd64_fam1ah_zen5::RETIRED_SSE_AVX_FLOPS:MAC_FLOPS:ALL_TYPE:e=0"));
}

// ---------------------------------------------------------------- which table

std::vector<std::string> Names(const PresentTables& present) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < present.count; ++i) {
    names.push_back(std::string(present.tables[i].table->name) + "/" +
                    std::to_string(present.tables[i].type));
  }
  return names;
}

CpuFacts X86(CpuFacts::Vendor vendor, unsigned family, unsigned model, const char* devices) {
  CpuFacts cpu;
  cpu.vendor = vendor;
  cpu.family = family;
  cpu.model = model;
  cpu.devices = devices;
  return cpu;
}

/// The PMUs of a machine as sysfs shows them.
class Devices {
 public:
  Devices() {
    path_ = (std::filesystem::temp_directory_path() / "csink-devices-XXXXXX").string();
    if (!mkdtemp(path_.data())) ADD_FAILURE() << "no temporary folder " << path_;
  }
  ~Devices() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  Devices& Pmu(const std::string& name, unsigned type) {
    std::filesystem::create_directories(path_ + "/" + name);
    std::ofstream(path_ + "/" + name + "/type") << type << "\n";
    return *this;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TablesOfCpu : public testing::Test {
 protected:
  std::vector<std::string> Of(CpuFacts::Vendor vendor, unsigned family, unsigned model) {
    return Names(TablesOf(X86(vendor, family, model, devices_.path().c_str())));
  }
  Devices devices_;
};

TEST_F(TablesOfCpu, AreChosenByAmdsModel) {
  constexpr auto kAmd = CpuFacts::Vendor::kAmd;
  const std::vector<std::string> zen5 = {"amd64_fam1ah_zen5/4"};
  const std::vector<std::string> zen6 = {"amd64_fam1ah_zen6/4"};
  for (unsigned model : {0x00u, 0x02u, 0x4fu, 0x60u, 0x7fu}) EXPECT_EQ(Of(kAmd, 0x1a, model), zen5);
  for (unsigned model : {0x50u, 0x5fu, 0x80u, 0xffu}) EXPECT_EQ(Of(kAmd, 0x1a, model), zen6);
  EXPECT_TRUE(Of(kAmd, 0x19, 0x11).empty()) << "Zen 4 is libpfm4's";
  devices_.Pmu("amd_l3", 12);
  EXPECT_EQ(Of(kAmd, 0x1a, 2),
            (std::vector<std::string>{"amd64_fam1ah_zen5/4", "amd64_fam1ah_zen5_l3/12"}));
}

TEST_F(TablesOfCpu, AreChosenByIntelsModel) {
  constexpr auto kIntel = CpuFacts::Vendor::kIntel;
  EXPECT_EQ(Of(kIntel, 6, 0x8f), std::vector<std::string>{"spr/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xcf), std::vector<std::string>{"emr/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xad), std::vector<std::string>{"gnr/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xae), std::vector<std::string>{"gnr/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xaf), std::vector<std::string>{"srf/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xb6), std::vector<std::string>{"grr/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xdd), std::vector<std::string>{"cwf/4"});
  EXPECT_EQ(Of(kIntel, 6, 0xbe), std::vector<std::string>{"adl_grt/4"}) << "E cores alone";
  EXPECT_TRUE(Of(kIntel, 6, 0x55).empty()) << "Skylake-X is libpfm4's";
  EXPECT_EQ(Of(kIntel, 6, 0x97), std::vector<std::string>{"adl_glc/4"})
      << "a virtual machine that hides the E cores";
}

TEST_F(TablesOfCpu, OfAHybridHaveTheTypesOfItsKindsOfCores) {
  devices_.Pmu("cpu_core", 4).Pmu("cpu_atom", 10);
  for (unsigned model : {0x97u, 0x9au, 0xb7u, 0xbau, 0xbfu}) {
    EXPECT_EQ(Of(CpuFacts::Vendor::kIntel, 6, model),
              (std::vector<std::string>{"adl_glc/4", "adl_grt/10"}));
  }
  const std::pair<unsigned, std::vector<std::string>> newer[] = {
      {0xaa, {"mtl_rwc/4", "mtl_cmt/10"}}, {0xb5, {"mtl_rwc/4", "mtl_cmt/10"}},
      {0xbd, {"lnl_lnc/4", "lnl_skt/10"}}, {0xc5, {"arl_lnc/4", "arl_skt/10"}},
      {0xc6, {"arl_lnc/4", "arl_skt/10"}}, {0xcc, {"ptl_cgc/4", "ptl_dkt/10"}},
  };
  for (const auto& [model, tables] : newer) {
    EXPECT_EQ(Of(CpuFacts::Vendor::kIntel, 6, model), tables) << model;
  }
  EXPECT_EQ(Of(CpuFacts::Vendor::kIntel, 18, 1),
            (std::vector<std::string>{"nvl_cyc/4", "nvl_aw/10"}));
  EXPECT_TRUE(Of(CpuFacts::Vendor::kIntel, 18, 2).empty());
  devices_.Pmu("cpu_lowpower", 11);
  EXPECT_EQ(Of(CpuFacts::Vendor::kIntel, 6, 0xc5),
            (std::vector<std::string>{"arl_lnc/4", "arl_skt/10", "arl_cmt/11"}));
}

TEST_F(TablesOfCpu, AreChosenByArmsMidr) {
  CpuFacts cpu;
  cpu.vendor = CpuFacts::Vendor::kArm;
  cpu.midr[0] = 0x411fd840;
  EXPECT_EQ(Names(TablesOf(cpu)), std::vector<std::string>{"arm_v3/4"});
  cpu.midr[0] = 0x460f0030;
  EXPECT_EQ(Names(TablesOf(cpu)), std::vector<std::string>{"arm_monaka/4"});
  cpu.midr[0] = 0x411fd820;
  cpu.midr[1] = 0x411fd8e0;
  EXPECT_EQ(Names(TablesOf(cpu)), (std::vector<std::string>{"arm_cortex_x4/4", "arm_n3/4"}));
  cpu.midr[0] = 0x4e0f0100;
  cpu.midr[1] = 0;
  EXPECT_EQ(Names(TablesOf(cpu)), std::vector<std::string>{"arm_olympus/4"});
  cpu.midr[0] = 0x410fd0c1;
  EXPECT_TRUE(Names(TablesOf(cpu)).empty()) << "Neoverse N1 is libpfm4's";
}

/// CPUs of an Arm machine as sysfs shows them.
class MidrsOfCpus : public testing::Test {
 protected:
  // A CPU that is offline keeps its folder, without "regs" in it.
  void Offline(int cpu) { std::filesystem::create_directories(Folder(cpu)); }
  void Online(int cpu, const char* midr) {
    const std::string folder = Folder(cpu) + "/regs/identification";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/midr_el1") << midr << "\n";
  }
  void Possible(const char* text) { std::ofstream(cpus_.path() + "/possible") << text << "\n"; }
  std::vector<std::uint32_t> Read() {
    std::uint32_t midr[4] = {};
    ReadMidrs(cpus_.path().c_str(), midr);
    return {midr, midr + 4};
  }

 private:
  std::string Folder(int cpu) { return cpus_.path() + "/cpu" + std::to_string(cpu); }
  Devices cpus_;
};

TEST_F(MidrsOfCpus, SkipCpusThatAreOffline) {
  Possible("0-3");
  Offline(0);
  Online(1, "0x00000000411fd820");
  Offline(2);
  Online(3, "0x00000000411fd8e0");
  EXPECT_EQ(Read(), (std::vector<std::uint32_t>{0x411fd820, 0x411fd8e0, 0, 0}));
}

TEST_F(MidrsOfCpus, HaveEachKindOnceInTheOrderOfTheCpus) {
  Possible("0-1,8-9");
  Online(0, "0x00000000411fd8e0");
  Online(1, "0x00000000411fd8e0");
  Online(8, "0x00000000411fd820");
  Online(9, "nonsense");
  Online(10, "0x00000000460f0030");  // not one of the CPUs that are possible
  EXPECT_EQ(Read(), (std::vector<std::uint32_t>{0x411fd8e0, 0x411fd820, 0, 0}));
}

TEST_F(MidrsOfCpus, AreFoundWithoutTheListOfCpus) {
  Online(1023, "0x00000000411fd840");
  EXPECT_EQ(Read(), (std::vector<std::uint32_t>{0x411fd840, 0, 0, 0}));
}

TEST_F(TablesOfCpu, AreThoseThatTheEnvironmentNames) {
  CpuFacts cpu = X86(CpuFacts::Vendor::kAmd, 0x1a, 2, devices_.path().c_str());
  cpu.forced = "ADL_GLC,nothing,arm_v3";
  EXPECT_EQ(Names(TablesOf(cpu)), (std::vector<std::string>{"adl_glc/4", "arm_v3/4"}));
  cpu.forced = "skx";
  EXPECT_TRUE(Names(TablesOf(cpu)).empty());
}

// ---------------------------------------------------------------- beside libpfm4

/// The names of the PMUs that are present, in order.
std::vector<std::string> PresentPmus(const PfmLibrary& pfm) {
  std::vector<std::string> names;
  ForEachPmu(pfm, [&](int, const pfm_pmu_info_t& pmu) {
    if (pmu.is_present) names.push_back(pmu.name);
    return true;
  });
  return names;
}

TEST(TablesBesideLibpfm4, AddTheirPmusAndEvents) {
  const PfmLibrary& both = *PfmLibrary::WithTables(fakes::FakePfm::Open(), Forced("arm_n3"));
  EXPECT_THAT(PresentPmus(both), testing::ElementsAre("big", "little", "socket", "arm_n3"));
  EXPECT_EQ(Encode(both, "CPU_CYCLES").attr.config, 0x11u) << "the table's";
  EXPECT_EQ(Encode(both, "ONLY_BIG").code, PFM_SUCCESS) << "libpfm4's";
  EXPECT_EQ(Encode(both, "little::CYCLES").code, PFM_SUCCESS);
  std::set<std::string> events;
  ForEachPfmEvent(both, [&](const pfm_pmu_info_t& pmu, const pfm_event_info_t& event) {
    events.insert(std::string(pmu.name) + "::" + event.name);
    return true;
  });
  EXPECT_EQ(events.count("arm_n3::CPU_CYCLES"), 1u);
  EXPECT_EQ(events.count("big::ONLY_BIG"), 1u);
}

TEST(TablesBesideLibpfm4, LeaveThePmuToTheOneWithMoreEvents) {
  EXPECT_THAT(PresentPmus(*PfmLibrary::WithTables(fakes::OnePmuPfm::Open("arm_n3", 400, 900),
                                                  Forced("arm_n3"))),
              testing::ElementsAre("arm_n3"));
  EXPECT_FALSE(PfmLibrary::WithTables(fakes::OnePmuPfm::Open("arm_n3", 400, 900), Forced("arm_n3"))
                   ->has_tables);
  const PfmLibrary* smaller =
      PfmLibrary::WithTables(fakes::OnePmuPfm::Open("arm_n3", 400, 3), Forced("arm_n3"));
  EXPECT_TRUE(smaller->has_tables);
  EXPECT_THAT(PresentPmus(*smaller), testing::ElementsAre("arm_n3")) << "one of the two";
  EXPECT_EQ(Encode(*smaller, "arm_n3::CPU_CYCLES").attr.config, 0x11u);
}

TEST(TablesBesideLibpfm4, AreNotThereWithoutSuchAProcessor) {
  EXPECT_EQ(PfmLibrary::WithTables(nullptr, Forced("none")), nullptr);
  const PfmLibrary* own = fakes::FakePfm::Open();
  EXPECT_EQ(PfmLibrary::WithTables(own, Forced("none")), own);
}

TEST(NewerLibpfm4, IsUsedBeyondTheNumbersThatWeWereBuiltWith) {
  constexpr int kNewer = PFM_PMU_MAX + 40;
  const PfmLibrary& newer = *fakes::OnePmuPfm::Open("newer", kNewer, 2);
  EXPECT_THAT(PresentPmus(newer), testing::ElementsAre("newer"));
  EXPECT_EQ(Encode(newer, "EVENT_1").attr.config, 1u);
  int events = 0;
  ForEachPfmEvent(newer, [&](const pfm_pmu_info_t&, const pfm_event_info_t&) {
    ++events;
    return true;
  });
  EXPECT_EQ(events, 2);
  // A table stands beside it.
  EXPECT_THAT(PresentPmus(*PfmLibrary::WithTables(&newer, Forced("arm_n3"))),
              testing::ElementsAre("newer", "arm_n3"));
}

// ---------------------------------------------------------------- against libpfm4

constexpr const char* kAttributesToTry[] = {
    "u",      "k",      "u:k",   "u=0",  "period=1000", "freq=1000", "precise=1", "c=1",
    "c=16",   "c=0x10", "c=256", "e",    "e:c=1",       "i",         "e:c=1:i",   "intx",
    "intxcp", "excl",   "mg",    "mh",   "mg:mh",       "cpu=1",     "pinned",    "hw_smpl",
    "h",      "u:u=0",  "x=1",   "c=-1", "e=y",         "e=2",       "ldlat=70",
};

/// Our list of Sapphire Rapids is newer than libpfm4 4.13's and differs in these: defaults and
/// precision that were added, the fixed counters' own numbers (INST_RETIRED:ANY is 0x100), and
/// codes that Intel's event file corrects (ARITH:IDIV_ACTIVE, MEM_TRANS_RETIRED:STORE_SAMPLE,
/// TOPDOWN). libpfm4 puts EXE's unit mask into config1 too, and joins a counter mask with the wired
/// one of a default (XQ:c=16 gives 17).
const std::set<std::string> kNewerFacts = {"ARITH",
                                           "BR_INST_RETIRED",
                                           "BR_MISP_RETIRED",
                                           "EXE",
                                           "ICACHE_DATA",
                                           "ICACHE_TAG",
                                           "INST_RETIRED",
                                           "RTM_RETIRED",
                                           "SW_PREFETCH_ACCESS",
                                           "TOPDOWN",
                                           "XQ",
                                           "MEM_LOAD_L3_MISS_RETIRED",
                                           "MEM_TRANS_RETIRED"};

/// Intel's file counts these by a register that libpfm4 does not set: it counts something else.
bool IsLeftOut(const std::string& masked) {
  return masked == "UOPS_RETIRED:MS" || masked == "INT_MISC:UNKNOWN_BRANCH_CYCLES";
}

class OnSapphireRapids : public testing::Test {
 protected:
  void SetUp() override {
    const char* forced = std::getenv("LIBPFM_FORCE_PMU");
    if (!forced || std::string(forced) != "spr") GTEST_SKIP() << "LIBPFM_FORCE_PMU is not spr";
    real_ = PfmLibrary::Libpfm4();
    if (!real_) GTEST_SKIP() << "libpfm4 cannot be loaded";
    if (Events().empty()) GTEST_SKIP() << "this libpfm4 is older than Sapphire Rapids";
    ours_ = &TablesAlone("spr");
  }

  /// The events of libpfm4's table by name.
  std::vector<pfm_event_info_t> Events() const {
    std::vector<pfm_event_info_t> events;
    ForEachPfmEvent(*real_, [&](const pfm_pmu_info_t&, const pfm_event_info_t& event) {
      events.push_back(event);
      return true;
    });
    return events;
  }
  static std::string NameOfEvent(const pfm_event_info_t& event) {
    return std::string("spr::") + event.name;
  }

  const PfmLibrary* real_ = nullptr;
  const PfmLibrary* ours_ = nullptr;
};

TEST_F(OnSapphireRapids, TheEventsHaveLibpfm4sUnitMasksAndModifiers) {
  for (const pfm_event_info_t& event : Events()) {
    pfm_event_info_t mine{};
    mine.size = sizeof(mine);
    const int index = ours_->find_event(NameOfEvent(event).c_str());
    ASSERT_GE(index, 0) << event.name;
    ASSERT_EQ(ours_->get_event_info(index, PFM_OS_PERF_EVENT_EXT, &mine), PFM_SUCCESS);
    if (kNewerFacts.count(event.name) == 0) {
      EXPECT_EQ(mine.code, event.code) << event.name;
    }
    const std::set<std::string> has = AttributeNames(*ours_, mine);
    for (const std::string& wanted : AttributeNames(*real_, event)) {
      if (kNewerFacts.count(event.name) != 0 && wanted == "hw_smpl/2") continue;  // now precise
      if (IsLeftOut(std::string(event.name) + ":" + wanted.substr(0, wanted.find('/')))) continue;
      EXPECT_EQ(has.count(wanted), 1u) << event.name << ":" << wanted;
    }
  }
}

TEST_F(OnSapphireRapids, TheAnswersAreLibpfm4s) {
  std::size_t compared = 0;
  for (const pfm_event_info_t& event : Events()) {
    if (kNewerFacts.count(event.name) != 0) continue;
    const std::string name = NameOfEvent(event);
    // libpfm4 4.13 refuses the modifiers of TOPDOWN_M, and does not name its encoding.
    if (name == "spr::TOPDOWN_M" && Told(Encode(*real_, name + ":BACKEND_BOUND:u")) == "error -9") {
      continue;
    }
    std::vector<std::string> asked = {name};
    ForEachPfmAttribute(*real_, event, [&](const pfm_event_attr_info_t& attribute) {
      const std::string masked = std::string(event.name) + ":" + attribute.name;
      if (attribute.type == PFM_ATTR_UMASK && !IsLeftOut(masked)) asked.push_back("spr::" + masked);
      return true;
    });
    const std::size_t plain = asked.size();
    for (std::size_t i = 0; i < plain; ++i) {
      for (const char* attributes : kAttributesToTry) asked.push_back(asked[i] + ":" + attributes);
    }
    for (const std::string& one : asked) {
      EXPECT_EQ(Told(Encode(*ours_, one)), Told(Encode(*real_, one))) << one;
    }
    compared += asked.size();
  }
  EXPECT_GT(compared, 10'000u);
}

}  // namespace
}  // namespace csink

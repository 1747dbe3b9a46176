#include "core/events/event_tables.h"

#include "core/events/event_alias.h"

namespace csink {

// Numbers of counters are those of the vendors' manuals; 0: unknown. emr names spr's part: both
// processors have the same events. The L3 PMUs have the kernel's device amd_l3 and a type that
// sysfs states.
const EventTable kEventTables[] = {
    {"amd64_fam1ah_zen5", "AMD64 Fam1Ah Zen5", "amd64_fam1ah_zen5", "", TableArch::kAmd, 6, 0},
    {"amd64_fam1ah_zen5_l3", "AMD64 Fam1Ah Zen5 L3", "amd64_fam1ah_zen5_l3", "amd_l3",
     TableArch::kAmdL3, 6, 0},
    {"amd64_fam1ah_zen6", "AMD64 Fam1Ah Zen6", "amd64_fam1ah_zen6", "", TableArch::kAmd, 6, 0},
    {"amd64_fam1ah_zen6_l3", "AMD64 Fam1Ah Zen6 L3", "amd64_fam1ah_zen6_l3", "amd_l3",
     TableArch::kAmdL3, 6, 0},
    {"adl_glc", "Intel Alder Lake P core (Golden Cove)", "adl_glc", "cpu_core",
     TableArch::kIntelCore, 8, 4},
    {"adl_grt", "Intel Alder Lake E core (Gracemont)", "adl_grt", "cpu_atom", TableArch::kIntelAtom,
     6, 3},
    {"spr", "Intel Sapphire Rapids", "spr", "", TableArch::kIntelCore, 8, 4},
    {"emr", "Intel Emerald Rapids", "spr", "", TableArch::kIntelCore, 8, 4},
    {"gnr", "Intel Granite Rapids", "gnr", "", TableArch::kIntelCore, 8, 4},
    {"mtl_rwc", "Intel Meteor Lake P core (Redwood Cove)", "mtl_rwc", "cpu_core",
     TableArch::kIntelCore, 8, 4},
    {"mtl_cmt", "Intel Meteor Lake E core (Crestmont)", "mtl_cmt", "cpu_atom",
     TableArch::kIntelAtom, 8, 3},
    {"lnl_lnc", "Intel Lunar Lake P core (Lion Cove)", "lnl_lnc", "cpu_core", TableArch::kIntelCore,
     10, 4},
    {"lnl_skt", "Intel Lunar Lake E core (Skymont)", "lnl_skt", "cpu_atom", TableArch::kIntelAtom,
     8, 6},
    {"arl_lnc", "Intel Arrow Lake P core (Lion Cove)", "arl_lnc", "cpu_core", TableArch::kIntelCore,
     10, 4},
    {"arl_skt", "Intel Arrow Lake E core (Skymont)", "arl_skt", "cpu_atom", TableArch::kIntelAtom,
     8, 6},
    {"arl_cmt", "Intel Arrow Lake LP core (Crestmont)", "arl_cmt", "cpu_lowpower",
     TableArch::kIntelAtom, 8, 3},
    {"ptl_cgc", "Intel Panther Lake P (Cougar Cove)", "ptl_cgc", "cpu_core", TableArch::kIntelCore,
     10, 4},
    {"ptl_dkt", "Intel Panther Lake E (Darkmont)", "ptl_dkt", "cpu_atom", TableArch::kIntelAtom, 8,
     6},
    {"nvl_cyc", "Intel Nova Lake P core (Coyote Cove)", "nvl_cyc", "cpu_core",
     TableArch::kIntelCore, 8, 4},
    {"nvl_aw", "Intel Nova Lake E core (Arctic Wolf)", "nvl_aw", "cpu_atom", TableArch::kIntelAtom,
     8, 6},
    {"srf", "Intel Sierra Forest", "srf", "", TableArch::kIntelAtom, 8, 3},
    {"grr", "Intel Grand Ridge", "grr", "", TableArch::kIntelAtom, 8, 3},
    {"cwf", "Intel Clearwater Forest", "cwf", "", TableArch::kIntelAtom, 8, 6},
    {"arm_n3", "ARM Neoverse N3", "arm_n3", "", TableArch::kArm, 6, 1},
    {"arm_v3", "ARM Neoverse V3", "arm_v3", "", TableArch::kArm, 6, 1},
    {"arm_cortex_x4", "ARM Cortex-X4", "arm_cortex_x4", "", TableArch::kArm, 6, 1},
    {"arm_monaka", "Fujitsu Monaka", "arm_monaka", "", TableArch::kArm, 0, 1},
    {"arm_olympus", "NVIDIA Olympus", "arm_olympus", "", TableArch::kArm, 0, 1},
};
const std::size_t kEventTableCount = sizeof(kEventTables) / sizeof(kEventTables[0]);

TableView::TableView(const EventTable& table) noexcept {
  // The parts are few (one for each PMU of the data file), so they are searched in turn.
  for (unsigned i = 0; i < kTablePartCount; ++i) {
    if (std::string_view(kTableParts[i].pmu) != table.part) continue;
    first_ = kTableParts[i].first;
    count_ = kTableParts[i].count;
  }
}

// A linear search: a name is looked up once for each event of a set, and tables have some hundred
// entries.
std::size_t TableView::Find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (EqualsIgnoringCase(name, NameOf((*this)[i]))) return i;
  }
  return count_;
}

Text<96> WordsOfName(std::string_view name) noexcept {
  Text<96> words;
  for (char c : name) {
    // Setting bit 5 makes an ASCII capital letter a small one.
    words.Add(c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
  }
  return words;
}

}  // namespace csink

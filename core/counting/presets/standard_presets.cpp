#include "core/counting/presets/standard_presets.h"

#include <array>

#include "core/counting/presets/name_hash.h"
#include "core/util/nearest.h"

namespace csink {
namespace {

/// In the order of their codes. Names, order and classes are those of PAPI 7.0, except for
/// PAPI_L3_DCH, which PAPI assigns to level 2.
constexpr StandardPreset kPresets[] = {
    {"PAPI_L1_DCM", "L1 data misses",
     "Accesses to data that the first-level data cache could not serve", kPresetCache | kPresetL1},
    {"PAPI_L1_ICM", "L1 instruction misses",
     "Accesses to code that the first-level instruction cache could not serve",
     kPresetInstructions | kPresetCache | kPresetL1},
    {"PAPI_L2_DCM", "L2 data misses",
     "Accesses to data that the second-level data cache could not serve", kPresetCache | kPresetL2},
    {"PAPI_L2_ICM", "L2 instruction misses",
     "Accesses to code that the second-level instruction cache could not serve",
     kPresetInstructions | kPresetCache | kPresetL2},
    {"PAPI_L3_DCM", "L3 data misses",
     "Accesses to data that the third-level data cache could not serve", kPresetCache | kPresetL3},
    {"PAPI_L3_ICM", "L3 instruction misses",
     "Accesses to code that the third-level instruction cache could not serve",
     kPresetInstructions | kPresetCache | kPresetL3},
    {"PAPI_L1_TCM", "L1 misses",
     "Accesses to code or data that the first-level cache could not serve",
     kPresetCache | kPresetL1},
    {"PAPI_L2_TCM", "L2 misses",
     "Accesses to code or data that the second-level cache could not serve",
     kPresetCache | kPresetL2},
    {"PAPI_L3_TCM", "L3 misses",
     "Accesses to code or data that the third-level cache could not serve",
     kPresetCache | kPresetL3},
    {"PAPI_CA_SNP", "Snoops", "Snoop requests to other caches", kPresetCache},
    {"PAPI_CA_SHR", "Exclusive access to shared lines",
     "Requests for exclusive access to a cache line that is shared", kPresetCache},
    {"PAPI_CA_CLN", "Exclusive access to clean lines",
     "Requests for exclusive access to a clean cache line", kPresetCache},
    {"PAPI_CA_INV", "Lines invalidated", "Requests that invalidated a line in other caches",
     kPresetCache},
    {"PAPI_CA_ITV", "Lines supplied by other caches",
     "Requests for which another cache supplied the line", kPresetCache},
    {"PAPI_L3_LDM", "L3 load misses", "Loads that the third-level cache could not serve",
     kPresetCache | kPresetL3},
    {"PAPI_L3_STM", "L3 store misses", "Stores whose line was not in the third-level cache",
     kPresetCache | kPresetL3},
    {"PAPI_BRU_IDL", "Branch unit idle", "Cycles in which the branch unit had nothing to do",
     kPresetIdle | kPresetBranch},
    {"PAPI_FXU_IDL", "Integer unit idle", "Cycles in which the integer units had nothing to do",
     kPresetIdle},
    {"PAPI_FPU_IDL", "Float unit idle",
     "Cycles in which the floating-point units had nothing to do", kPresetIdle | kPresetFloat},
    {"PAPI_LSU_IDL", "Load/store unit idle",
     "Cycles in which the load and store units had nothing to do", kPresetIdle | kPresetMemory},
    {"PAPI_TLB_DM", "Data TLB misses", "Data addresses whose translation was not in the TLB",
     kPresetTlb},
    {"PAPI_TLB_IM", "Instruction TLB misses", "Code addresses whose translation was not in the TLB",
     kPresetInstructions | kPresetTlb},
    {"PAPI_TLB_TL", "TLB misses", "Addresses of code and data whose translation was not in the TLB",
     kPresetTlb},
    {"PAPI_L1_LDM", "L1 load misses", "Loads that the first-level cache could not serve",
     kPresetCache | kPresetL1},
    {"PAPI_L1_STM", "L1 store misses", "Stores whose line was not in the first-level cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_LDM", "L2 load misses", "Loads that the second-level cache could not serve",
     kPresetCache | kPresetL2},
    {"PAPI_L2_STM", "L2 store misses", "Stores whose line was not in the second-level cache",
     kPresetCache | kPresetL2},
    {"PAPI_BTAC_M", "Branch target misses",
     "Branches whose target the branch target buffer did not know", kPresetBranch},
    {"PAPI_PRF_DM", "Data prefetch misses", "Prefetches of data that missed the cache",
     kPresetCache},
    {"PAPI_L3_DCH", "L3 data hits", "Accesses to data that the third-level data cache served",
     kPresetCache | kPresetL3},
    {"PAPI_TLB_SD", "TLB shootdowns", "TLB entries invalidated at the request of another processor",
     kPresetTlb},
    {"PAPI_CSR_FAL", "Conditional stores failed",
     "Store-conditional instructions that did not store", kPresetConditional | kPresetMemory},
    {"PAPI_CSR_SUC", "Conditional stores done", "Store-conditional instructions that stored",
     kPresetConditional | kPresetMemory},
    {"PAPI_CSR_TOT", "Conditional stores",
     "Store-conditional instructions, whether they stored or not",
     kPresetConditional | kPresetMemory},
    {"PAPI_MEM_SCY", "Cycles waiting for memory",
     "Cycles in which execution was stalled waiting for memory", kPresetMemory},
    {"PAPI_MEM_RCY", "Cycles waiting for reads",
     "Cycles in which execution was stalled waiting for a memory read", kPresetMemory},
    {"PAPI_MEM_WCY", "Cycles waiting for writes",
     "Cycles in which execution was stalled waiting for a memory write", kPresetMemory},
    {"PAPI_STL_ICY", "Cycles without issue", "Cycles in which no instruction was issued",
     kPresetInstructions},
    {"PAPI_FUL_ICY", "Cycles of full issue",
     "Cycles in which as many instructions were issued as the CPU can", kPresetInstructions},
    {"PAPI_STL_CCY", "Cycles without completion", "Cycles in which no instruction was completed",
     kPresetInstructions},
    {"PAPI_FUL_CCY", "Cycles of full completion",
     "Cycles in which as many instructions were completed as the CPU can", kPresetInstructions},
    {"PAPI_HW_INT", "Interrupts", "Interrupts raised by hardware", kPresetMisc},
    {"PAPI_BR_UCN", "Unconditional branches", "Branch instructions that are always taken",
     kPresetBranch | kPresetConditional},
    {"PAPI_BR_CN", "Conditional branches", "Branch instructions that depend on a condition",
     kPresetBranch | kPresetConditional},
    {"PAPI_BR_TKN", "Branches taken", "Conditional branch instructions that were taken",
     kPresetBranch | kPresetConditional},
    {"PAPI_BR_NTK", "Branches not taken", "Conditional branch instructions that were not taken",
     kPresetBranch | kPresetConditional},
    {"PAPI_BR_MSP", "Branches mispredicted",
     "Conditional branch instructions that were mispredicted", kPresetBranch | kPresetConditional},
    {"PAPI_BR_PRC", "Branches predicted",
     "Conditional branch instructions that were predicted correctly",
     kPresetBranch | kPresetConditional},
    {"PAPI_FMA_INS", "Fused multiply-adds", "Completed fused multiply-add instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_TOT_IIS", "Instructions issued",
     "Instructions issued to the execution units, including those that did not complete",
     kPresetInstructions},
    {"PAPI_TOT_INS", "Instructions", "Instructions that were completed", kPresetInstructions},
    {"PAPI_INT_INS", "Integer instructions", "Completed instructions on integers",
     kPresetInstructions},
    {"PAPI_FP_INS", "Float instructions", "Completed floating-point instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_LD_INS", "Loads", "Completed instructions that read memory", kPresetMemory},
    {"PAPI_SR_INS", "Stores", "Completed instructions that write memory", kPresetMemory},
    {"PAPI_BR_INS", "Branches", "Completed branch instructions of every kind", kPresetBranch},
    {"PAPI_VEC_INS", "Vector instructions",
     "Completed vector (SIMD) instructions; includes integer instructions if the CPU does not "
     "distinguish them",
     kPresetMisc},
    {"PAPI_RES_STL", "Cycles stalled", "Cycles in which instructions waited for any resource",
     kPresetMisc | kPresetIdle},
    {"PAPI_FP_STAL", "Float cycles stalled", "Cycles in which a floating-point unit waited",
     kPresetIdle | kPresetFloat},
    {"PAPI_TOT_CYC", "Cycles", "Clock cycles of the core at its current frequency", kPresetMisc},
    {"PAPI_LST_INS", "Loads and stores", "Completed instructions that read or write memory",
     kPresetInstructions | kPresetMemory},
    {"PAPI_SYC_INS", "Synchronizing instructions",
     "Completed instructions that order or lock memory accesses",
     kPresetMisc | kPresetInstructions},
    {"PAPI_L1_DCH", "L1 data hits", "Accesses to data that the first-level data cache served",
     kPresetCache | kPresetL1},
    {"PAPI_L2_DCH", "L2 data hits", "Accesses to data that the second-level data cache served",
     kPresetCache | kPresetL2},
    {"PAPI_L1_DCA", "L1 data accesses", "Accesses to data in the first-level data cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_DCA", "L2 data accesses", "Accesses to data in the second-level data cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_DCA", "L3 data accesses", "Accesses to data in the third-level data cache",
     kPresetCache | kPresetL3},
    {"PAPI_L1_DCR", "L1 data reads", "Reads of data from the first-level data cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_DCR", "L2 data reads", "Reads of data from the second-level data cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_DCR", "L3 data reads", "Reads of data from the third-level data cache",
     kPresetCache | kPresetL3},
    {"PAPI_L1_DCW", "L1 data writes", "Writes of data to the first-level data cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_DCW", "L2 data writes", "Writes of data to the second-level data cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_DCW", "L3 data writes", "Writes of data to the third-level data cache",
     kPresetCache | kPresetL3},
    {"PAPI_L1_ICH", "L1 instruction hits",
     "Accesses to code that the first-level instruction cache served",
     kPresetInstructions | kPresetCache | kPresetL1},
    {"PAPI_L2_ICH", "L2 instruction hits",
     "Accesses to code that the second-level instruction cache served",
     kPresetInstructions | kPresetCache | kPresetL2},
    {"PAPI_L3_ICH", "L3 instruction hits",
     "Accesses to code that the third-level instruction cache served",
     kPresetInstructions | kPresetCache | kPresetL3},
    {"PAPI_L1_ICA", "L1 instruction accesses",
     "Accesses to code in the first-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL1},
    {"PAPI_L2_ICA", "L2 instruction accesses",
     "Accesses to code in the second-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL2},
    {"PAPI_L3_ICA", "L3 instruction accesses",
     "Accesses to code in the third-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL3},
    {"PAPI_L1_ICR", "L1 instruction reads", "Reads of code from the first-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL1},
    {"PAPI_L2_ICR", "L2 instruction reads", "Reads of code from the second-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL2},
    {"PAPI_L3_ICR", "L3 instruction reads", "Reads of code from the third-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL3},
    {"PAPI_L1_ICW", "L1 instruction writes", "Writes of code to the first-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL1},
    {"PAPI_L2_ICW", "L2 instruction writes", "Writes of code to the second-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL2},
    {"PAPI_L3_ICW", "L3 instruction writes", "Writes of code to the third-level instruction cache",
     kPresetInstructions | kPresetCache | kPresetL3},
    {"PAPI_L1_TCH", "L1 hits", "Accesses to code or data that the first-level cache served",
     kPresetCache | kPresetL1},
    {"PAPI_L2_TCH", "L2 hits", "Accesses to code or data that the second-level cache served",
     kPresetCache | kPresetL2},
    {"PAPI_L3_TCH", "L3 hits", "Accesses to code or data that the third-level cache served",
     kPresetCache | kPresetL3},
    {"PAPI_L1_TCA", "L1 accesses", "Accesses to code or data in the first-level cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_TCA", "L2 accesses", "Accesses to code or data in the second-level cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_TCA", "L3 accesses", "Accesses to code or data in the third-level cache",
     kPresetCache | kPresetL3},
    {"PAPI_L1_TCR", "L1 reads", "Reads of code or data from the first-level cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_TCR", "L2 reads", "Reads of code or data from the second-level cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_TCR", "L3 reads", "Reads of code or data from the third-level cache",
     kPresetCache | kPresetL3},
    {"PAPI_L1_TCW", "L1 writes", "Writes of code or data to the first-level cache",
     kPresetCache | kPresetL1},
    {"PAPI_L2_TCW", "L2 writes", "Writes of code or data to the second-level cache",
     kPresetCache | kPresetL2},
    {"PAPI_L3_TCW", "L3 writes", "Writes of code or data to the third-level cache",
     kPresetCache | kPresetL3},
    {"PAPI_FML_INS", "Float multiplications", "Completed floating-point multiply instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_FAD_INS", "Float additions", "Completed floating-point add instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_FDV_INS", "Float divisions", "Completed floating-point divide instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_FSQ_INS", "Float square roots", "Completed floating-point square root instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_FNV_INS", "Float reciprocals", "Completed floating-point reciprocal instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_FP_OPS", "Float operations",
     "Floating-point operations done by the completed instructions",
     kPresetInstructions | kPresetFloat},
    {"PAPI_SP_OPS", "Single-precision operations",
     "Floating-point operations, vectors of single precision counted by their elements",
     kPresetInstructions | kPresetFloat},
    {"PAPI_DP_OPS", "Double-precision operations",
     "Floating-point operations, vectors of double precision counted by their elements",
     kPresetInstructions | kPresetFloat},
    {"PAPI_VEC_SP", "Single-precision vectors",
     "Completed vector instructions on single-precision numbers",
     kPresetInstructions | kPresetFloat},
    {"PAPI_VEC_DP", "Double-precision vectors",
     "Completed vector instructions on double-precision numbers",
     kPresetInstructions | kPresetFloat},
    {"PAPI_REF_CYC", "Reference cycles",
     "Cycles of a clock with a constant frequency while the core ran", kPresetMisc},
    {"PAPI_HP_OPS", "Half-precision operations",
     "Floating point operations on half-precision numbers, those of vectors counted one by one",
     kPresetFloat},
    {"PAPI_VEC_HP", "Half-precision vectors",
     "Completed vector instructions on half-precision numbers", kPresetInstructions | kPresetFloat},
};
static_assert(sizeof(kPresets) / sizeof(kPresets[0]) == kStandardPresetCount);

// Why a table and no search: papi_avail asks for each preset by name, and each name of an event
// that is added is first looked for here.
constexpr std::size_t kSlots = 512;  // a power of two, sparse: at most two probes on average
constexpr std::uint8_t kEmpty = 0xFF;
static_assert(kStandardPresetCount < kEmpty);

/// A hash table with open addressing, filled at compile time.
constexpr std::array<std::uint8_t, kSlots> kIndex = [] {
  std::array<std::uint8_t, kSlots> slots{};
  for (std::uint8_t& slot : slots) slot = kEmpty;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    std::size_t at = NameHash(kPresets[i].name) % kSlots;
    // Ends, because the table has more slots than names (static_assert above).
    while (slots[at] != kEmpty) at = (at + 1) % kSlots;
    slots[at] = static_cast<std::uint8_t>(i);
  }
  return slots;
}();

}  // namespace

const StandardPreset& StandardPresetAt(std::size_t index) noexcept { return kPresets[index]; }

// Names are compared in full: the hash decides only where the search begins. It ends at an empty
// slot, of which there are always some.
std::size_t StandardPresetIndex(std::string_view name) noexcept {
  for (std::size_t at = NameHash(name) % kSlots; kIndex[at] != kEmpty; at = (at + 1) % kSlots) {
    if (kPresets[kIndex[at]].name == name) return kIndex[at];
  }
  return kStandardPresetCount;
}

// The presets of data/presets-software.csv. A test compares both.
bool HasSoftwareEvent(std::string_view name) noexcept {
  for (std::string_view has : {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_FP_INS", "PAPI_FP_OPS",
                               "PAPI_L1_TCM", "PAPI_BR_INS", "PAPI_BR_CN"}) {
    if (name == has) return true;
  }
  return false;
}

// For a hint to the user. The distance is that of EditDistance, which ignores case: "papi_tot_ins"
// is a frequent mistake.
std::string_view NearestStandardPreset(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 20;  // preset names have at most 12 bytes: no match possible
  if (name.size() > kLongest) return {};
  NearestNames<1> nearest(name);
  for (const StandardPreset& preset : kPresets) nearest.Offer(preset.name);
  return nearest.count() != 0 ? nearest[0] : std::string_view();
}

}  // namespace csink

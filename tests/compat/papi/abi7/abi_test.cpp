// One version of PAPI as a program sees it that was built with its papi.h and linked with its
// libpapi.so.7.x. Compiled once a version.
#include <gtest/gtest.h>
#include <papi.h>

#include <cstring>
#include <string>
#include <vector>

// Fortran's names, two of which the ABI libraries translate.
extern "C" {
void papif_library_init_(int* check);
void papif_enum_event_(int* code, const int* modifier, int* check);
void papif_num_events__(const int* set, int* number);
}

namespace {

constexpr unsigned char kUntouched = 0xA5;

/// A structure of the caller's, with bytes behind it that nobody may write.
template <class T>
struct Guarded {
  T value;
  unsigned char behind[4096];

  Guarded() { std::memset(static_cast<void*>(this), kUntouched, sizeof *this); }
  bool BehindIsWhole() const {
    for (const unsigned char byte : behind) {
      if (byte != kUntouched) return false;
    }
    return true;
  }
  /// Whether the library has written the last bytes of it.
  bool WrittenToItsEnd() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&value);
    return bytes[sizeof value - 1] != kUntouched && bytes[sizeof value - 64] != kUntouched;
  }
};

class AbiOfPapi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT); }
  void TearDown() override { PAPI_shutdown(); }
};

std::vector<int> ListFrom(int first, int modifier) {
  std::vector<int> codes;
  int code = first;
  while (codes.size() < 1000 && PAPI_enum_event(&code, modifier) == PAPI_OK) codes.push_back(code);
  return codes;
}

const int kFirstPreset = PAPI_PRESET_MASK;
const int kFirstNative = PAPI_NATIVE_MASK;

TEST(AbiOfPapiBeforeInit, TakesItsOwnVersionNumberAlone) {
  for (int minor = 0; minor < 5; ++minor) {
    const int version = PAPI_VERSION_NUMBER(7, minor, 0, 0);
    const bool own = version == PAPI_VERSION;
    EXPECT_EQ(PAPI_library_init(version), own ? version : PAPI_EINVAL) << minor;
    int of_fortran = version;
    papif_library_init_(&of_fortran);
    EXPECT_EQ(of_fortran, own ? version : PAPI_EINVAL) << minor;
  }
  EXPECT_EQ(PAPI_library_init(PAPI_VERSION | 1), PAPI_EINVAL);
  PAPI_shutdown();
}

TEST_F(AbiOfPapi, TellsItsVersion) {
  EXPECT_EQ(PAPI_get_opt(PAPI_LIB_VERSION, nullptr), PAPI_VERSION);
}

TEST_F(AbiOfPapi, HasASentenceForEachOfItsErrors) {
  for (int i = 0; i < PAPI_NUM_ERRORS; ++i) EXPECT_NE(PAPI_strerror(-i), nullptr) << i;
  EXPECT_EQ(PAPI_strerror(-PAPI_NUM_ERRORS), nullptr);
}

TEST_F(AbiOfPapi, WritesAnEventInfoOfItsSizeAndNothingBehindIt) {
  int native = 0;
  ASSERT_EQ(PAPI_event_name_to_code("perf::TASK-CLOCK", &native), PAPI_OK);
  for (const int code : {PAPI_TOT_CYC, native}) {
    Guarded<PAPI_event_info_t> info;
    ASSERT_EQ(PAPI_get_event_info(code, &info.value), PAPI_OK);
    EXPECT_EQ(info.value.event_code, static_cast<unsigned>(code));
    EXPECT_TRUE(info.WrittenToItsEnd());
    EXPECT_TRUE(info.BehindIsWhole());
#if PAPI_VERSION >= PAPI_VERSION_NUMBER(7, 2, 0, 0)
    EXPECT_EQ(info.value.num_quals, 0);
    EXPECT_STREQ(info.value.quals[PAPI_MAX_COMP_QUALS - 1], "");
#endif
  }
}

TEST_F(AbiOfPapi, LeavesAnEventInfoAloneWhereThereIsNoSuchEvent) {
  Guarded<PAPI_event_info_t> info;
  EXPECT_EQ(PAPI_get_event_info(PAPI_PRESET_MASK | 127, &info.value), PAPI_ENOTPRESET);
  EXPECT_EQ(info.value.symbol[0], static_cast<char>(kUntouched));
  EXPECT_EQ(PAPI_get_event_info(PAPI_TOT_CYC, nullptr), PAPI_EINVAL);
}

TEST_F(AbiOfPapi, ListsPresetsByTheNumbersOfItsHeader) {
  const std::vector<int> all = ListFrom(kFirstPreset, PAPI_ENUM_EVENTS);
  EXPECT_EQ(all.size(), PAPI_END_idx - 1u);
  int first = PAPI_TOT_CYC;
  EXPECT_EQ(PAPI_enum_event(&first, PAPI_ENUM_FIRST), PAPI_OK);
  EXPECT_EQ(first, kFirstPreset);
  const int classes[][2] = {{PAPI_PRESET_ENUM_MSC, PAPI_PRESET_BIT_MSC},
                            {PAPI_PRESET_ENUM_BR, PAPI_PRESET_BIT_BR},
                            {PAPI_PRESET_ENUM_L1, PAPI_PRESET_BIT_L1},
                            {PAPI_PRESET_ENUM_FP, PAPI_PRESET_BIT_FP}};
  for (const auto& [modifier, bit] : classes) {
    const std::vector<int> listed = ListFrom(kFirstPreset, modifier);
    std::vector<int> expected;
    PAPI_event_info_t info;
    for (const int code : all) {
      ASSERT_EQ(PAPI_get_event_info(code, &info), PAPI_OK);
      if (info.event_type & static_cast<unsigned>(bit)) expected.push_back(code);
    }
    EXPECT_EQ(listed, expected) << modifier;
    EXPECT_FALSE(listed.empty()) << modifier;
    int of_fortran = kFirstPreset;
    int check = 1;
    papif_enum_event_(&of_fortran, &modifier, &check);
    EXPECT_EQ(check, PAPI_OK);
    EXPECT_EQ(of_fortran, listed.front());
  }
}

// Presets of a later version do not exist for a program, whatever the machine counts.
TEST_F(AbiOfPapi, HasThePresetsOfItsHeaderAlone) {
  int code = PAPI_END_idx - 1;
  code |= PAPI_PRESET_MASK;
  const int last = code;
  for (const int modifier : {PAPI_ENUM_EVENTS, PAPI_PRESET_ENUM_AVAIL, PAPI_PRESET_ENUM_FP}) {
    EXPECT_EQ(PAPI_enum_event(&code, modifier), PAPI_ENOEVNT) << modifier;
    EXPECT_EQ(code, last);
    EXPECT_EQ(PAPI_enum_cmp_event(&code, modifier, 0), PAPI_ENOEVNT) << modifier;
  }
  char name[PAPI_MAX_STR_LEN] = "";
  ASSERT_EQ(PAPI_event_code_to_name(last, name), PAPI_OK);
#if PAPI_VERSION >= PAPI_VERSION_NUMBER(7, 3, 0, 0)
  EXPECT_STREQ(name, "PAPI_VEC_HP");
  int found = 0;
  EXPECT_EQ(PAPI_event_name_to_code("PAPI_HP_OPS", &found), PAPI_OK);
  EXPECT_EQ(found, PAPI_HP_OPS);
#else
  EXPECT_STREQ(name, "PAPI_REF_CYC");
#endif
  int by_name = 0;
  PAPI_event_info_t info;
  ASSERT_EQ(PAPI_event_name_to_code("PAPI_VEC_HP", &by_name), PAPI_OK);
  ASSERT_EQ(PAPI_get_event_info(by_name, &info), PAPI_OK);
  EXPECT_STREQ(info.symbol, "PAPI_VEC_HP");
}

TEST_F(AbiOfPapi, ListsNativeEventsByTheNumbersOfItsHeader) {
  EXPECT_FALSE(ListFrom(kFirstNative, PAPI_ENUM_EVENTS).empty());
  int code = kFirstNative;
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_NTV_ENUM_IARR), PAPI_ENOIMPL);
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_NTV_ENUM_DEAR), PAPI_ENOIMPL);
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_NTV_ENUM_GROUPS + 1), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_event(&code, -1), PAPI_EINVAL);
  int of_component = kFirstNative;
  EXPECT_EQ(PAPI_enum_cmp_event(&of_component, PAPI_ENUM_FIRST, 0), PAPI_OK);
  EXPECT_EQ(PAPI_enum_cmp_event(&of_component, PAPI_NTV_ENUM_OPCM, 0), PAPI_ENOIMPL);
}

TEST_F(AbiOfPapi, DescribesComponentsInItsLayout) {
  ASSERT_GT(PAPI_num_components(), 1);
  for (int i = 0; i < PAPI_num_components(); ++i) {
    const PAPI_component_info_t* info = PAPI_get_component_info(i);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->CmpIdx, i);
    EXPECT_EQ(info->initialized, 1);
    EXPECT_EQ(info->available_granularities, PAPI_GRN_THR | PAPI_GRN_SYS);
    EXPECT_EQ(info->cntr_umasks, 1u);
    EXPECT_EQ(info->reserved_bits, 0u);
    EXPECT_EQ(PAPI_get_component_index(info->name), i);
    if (info->pmu_names[0]) {
      EXPECT_NE(std::string(info->pmu_names[0]), "");
    }
    EXPECT_EQ(info->pmu_names[PAPI_PMU_MAX - 1], nullptr);
    EXPECT_EQ(info->disabled != 0, info->disabled == PAPI_ECMP_DISABLED);
  }
  EXPECT_EQ(PAPI_get_component_info(PAPI_num_components()), nullptr);
}

TEST_F(AbiOfPapi, AnOptionPointsToTheSameComponentInfo) {
  Guarded<PAPI_option_t> option;
  ASSERT_EQ(PAPI_get_opt(PAPI_COMPONENTINFO, &option.value), PAPI_OK);
  EXPECT_EQ(option.value.cmp_info, PAPI_get_component_info(0));
  ASSERT_EQ(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &option.value, 1), PAPI_OK);
  EXPECT_EQ(option.value.cmp_info, PAPI_get_component_info(1));
  EXPECT_EQ(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, nullptr, 1), PAPI_EINVAL);
  EXPECT_EQ(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &option.value, 99), PAPI_ENOCMP);
  EXPECT_TRUE(option.BehindIsWhole());
}

TEST_F(AbiOfPapi, CountsByTheFunctionsThatAreTheSameInAllVersions) {
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
  int number = 0;
  papif_num_events__(&set, &number);
  EXPECT_EQ(number, 1);
  long long value = 0;
  ASSERT_EQ(PAPI_start(set), PAPI_OK);
  for (int i = 0; i < 1000000; ++i) __asm__ volatile("");
  ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
  EXPECT_GT(value, 0);
  EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
  EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
}

#if PAPI_VERSION >= PAPI_VERSION_NUMBER(7, 2, 0, 0)

TEST_F(AbiOfPapi, HasNoPresetsOfComponents) {
  // PAPI 7.2 without the components cuda and rocm answers the same.
  int code = kFirstPreset;
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_FIRST_COMP), PAPI_ENOEVNT);
  EXPECT_EQ(code, kFirstPreset);
  EXPECT_EQ(ListFrom(kFirstPreset, PAPI_PRESET_ENUM_CPU), ListFrom(kFirstPreset, PAPI_ENUM_EVENTS));
  EXPECT_EQ(ListFrom(kFirstPreset, PAPI_PRESET_ENUM_CPU_AVAIL),
            ListFrom(kFirstPreset, PAPI_PRESET_ENUM_AVAIL));
  code = kFirstNative;
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_FIRST_COMP), PAPI_EINVAL);
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_CPU), PAPI_EINVAL);
  PAPI_shutdown();
  code = kFirstPreset;
  EXPECT_EQ(PAPI_enum_event(&code, PAPI_PRESET_ENUM_FIRST_COMP), PAPI_ENOINIT);
}

TEST_F(AbiOfPapi, AComponentThatWorksInPartSaysWhy) {
  for (int i = 0; i < PAPI_num_components(); ++i) {
    const PAPI_component_info_t* info = PAPI_get_component_info(i);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->partially_disabled != 0, info->partially_disabled_reason[0] != '\0')
        << info->name;
    EXPECT_EQ(info->disabled != 0, info->disabled_reason[0] != '\0') << info->name;
    EXPECT_FALSE(info->disabled && info->partially_disabled) << info->name;
  }
  // Where the processor has no counters, software events of the kernel count all the same.
  const PAPI_component_info_t* kernel = PAPI_get_component_info(0);
  int hardware = 0;
  int set = PAPI_NULL;
  ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
  if (PAPI_event_name_to_code("perf::CYCLES", &hardware) != PAPI_OK ||
      PAPI_add_event(set, hardware) != PAPI_OK) {
    EXPECT_EQ(kernel->partially_disabled, 1);
  } else {
    EXPECT_EQ(kernel->partially_disabled, 0);
  }
}

#endif

}  // namespace

// What PAPI 3.5's interface does beyond the examples of its manual: see pages/ for those.
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "compat/papi/include/papi35.h"
#include "tests/compat/papi/papi_fixture.h"

namespace {

// One library serves both versions: what has two names has one place.
static_assert(sizeof(PAPI_option_t) == 264 && sizeof(PAPI_event_info_t) == 6680);
static_assert(offsetof(PAPI_event_info_t, event_note) == 5656 &&
              offsetof(PAPI_event_info_t, note) == 5656);
static_assert(sizeof(PAPI_multiplex_option_t) == 12);
static_assert(offsetof(PAPI_multiplex_option_t, us) == 4 &&
              offsetof(PAPI_multiplex_option_t, max_degree) == 8);
static_assert(sizeof(PAPI_sprofil_t) == 32 && offsetof(PAPI_sprofil_t, pr_off) == 16);
static_assert(sizeof(PAPI_address_map_t) == 1072 && sizeof(PAPI_addr_range_option_t) == 32);
// The manual's listing: four texts, 13 numbers, four in reserve, 32 bits.
static_assert(sizeof(PAPI_substrate_info_t) == 128 + 3 * 64 + (13 + 4) * 4 + 4);

constexpr int kTrue = 1;

class Abi35 : public papi_test::PapiTest {
 protected:
  PAPI_option_t option_ = {};
};

TEST(Abi35BeforeInit, HasNoSubstrateAndNoOptions) {
  PAPI_option_t option = {};
  EXPECT_EQ(PAPI_get_substrate_info(), nullptr);
  for (const int number : {PAPI_MULTIPLEX, PAPI_DEFDOM, PAPI_DEFGRN, PAPI_DEF_MPX_USEC}) {
    EXPECT_EQ(PAPI_get_opt(number, &option), PAPI_ENOINIT) << number;
    EXPECT_EQ(PAPI_set_opt(number, &option), PAPI_ENOINIT) << number;
  }
  EXPECT_EQ(PAPI_get_opt(PAPI_SUBSTRATEINFO, &option), PAPI_ENOINIT);
  int code = PAPI_PRESET_MASK;
  EXPECT_EQ(PAPI_enum_event(&code, kTrue), PAPI_ENOINIT);
}

TEST(Abi35BeforeInit, TakesTheLibrarysVersionAlone) {
  // Its own binaries had other layouts.
  EXPECT_EQ(PAPI_library_init(0x03050000), PAPI_EINVAL);
  EXPECT_EQ(PAPI_library_init(PAPI_VERSION_NUMBER(3, 5, 0, 0)), PAPI_EINVAL);
}

TEST_F(Abi35, OptionsWantSomewhereToAnswer) {
  for (const int number : {PAPI_MULTIPLEX, PAPI_DEF_MPX_USEC, PAPI_SUBSTRATEINFO}) {
    EXPECT_EQ(PAPI_get_opt(number, nullptr), PAPI_EINVAL) << number;
  }
  for (const int number : {PAPI_MULTIPLEX, PAPI_DEFDOM, PAPI_DEFGRN, PAPI_DEF_MPX_USEC}) {
    EXPECT_EQ(PAPI_set_opt(number, nullptr), PAPI_EINVAL) << number;
  }
  EXPECT_EQ(PAPI_get_opt(PAPI_DEFDOM, nullptr), PAPI_DOM_USER);  // the value is the answer
  EXPECT_EQ(PAPI_get_opt(PAPI_DEFGRN, nullptr), PAPI_GRN_THR);
  EXPECT_EQ(PAPI_get_cmp_opt(PAPI_DEFDOM, nullptr, 0),
            PAPI_DOM_USER);  // 7.0's way under the switch
}

TEST_F(Abi35, RefusesNumbersBesideItsOwn) {
  for (const int number : {0x3500, 0x3501, 0x3507, 0x3517}) {
    EXPECT_EQ(PAPI_get_opt(number, &option_), PAPI_EINVAL) << number;
    EXPECT_EQ(PAPI_set_opt(number, &option_), PAPI_EINVAL) << number;
  }
}

TEST_F(Abi35, ATurnIsInMicrosecondsRoundedUp) {
  option_.multiplex.ns = 1500;
  ASSERT_EQ(PAPI_set_opt(PAPI_DEF_MPX_NS, &option_), PAPI_OK);
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_MPX_USEC, &option_), PAPI_OK);
  EXPECT_EQ(option_.multiplex.us, 2);
  option_.multiplex.us = INT_MAX / 1000;
  ASSERT_EQ(PAPI_set_opt(PAPI_DEF_MPX_USEC, &option_), PAPI_OK);
  option_.multiplex.us = 0;
  EXPECT_EQ(PAPI_set_opt(PAPI_DEF_MPX_USEC, &option_), PAPI_EINVAL);
  ASSERT_EQ(PAPI_get_opt(PAPI_DEF_MPX_USEC, &option_), PAPI_OK);
  EXPECT_EQ(option_.multiplex.us, INT_MAX / 1000);
  EXPECT_EQ(PAPI_get_substrate_info()->multiplex_timer_us, INT_MAX / 1000);
}

TEST_F(Abi35, MultiplexFindsItsSet) {
  option_.multiplex.eventset = 1000;
  option_.multiplex.us = 10;
  EXPECT_EQ(PAPI_get_opt(PAPI_MULTIPLEX, &option_), PAPI_ENOEVST);
  EXPECT_EQ(PAPI_set_opt(PAPI_MULTIPLEX, &option_), PAPI_ENOEVST);
  option_.multiplex.us = INT_MIN;
  EXPECT_EQ(PAPI_set_opt(PAPI_MULTIPLEX, &option_), PAPI_EINVAL);
}

TEST_F(Abi35, WrongDefaultsAreRefused) {
  option_.defdomain.domain = 0x40;
  EXPECT_EQ(PAPI_set_opt(PAPI_DEFDOM, &option_), PAPI_EINVAL);
  option_.defgranularity.granularity = 0x40;
  EXPECT_EQ(PAPI_set_opt(PAPI_DEFGRN, &option_), PAPI_EINVAL);
}

TEST_F(Abi35, TheSubstrateIsWhatItIsNow) {
  const PAPI_substrate_info_t* substrate = PAPI_get_substrate_info();
  ASSERT_NE(substrate, nullptr);
  EXPECT_EQ(substrate->default_domain, PAPI_DOM_USER);
  ASSERT_EQ(PAPI_set_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL), PAPI_OK);
  EXPECT_EQ(PAPI_get_substrate_info(), substrate);
  EXPECT_EQ(substrate->default_domain, PAPI_DOM_USER | PAPI_DOM_KERNEL);
  ASSERT_EQ(PAPI_get_opt(PAPI_SUBSTRATEINFO, &option_), PAPI_OK);
  EXPECT_EQ(option_.sub_info, substrate);
}

TEST_F(Abi35, ThreadsMayAskForTheSubstrateAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 50; ++n) {
        const PAPI_substrate_info_t* substrate = PAPI_get_substrate_info();
        ASSERT_NE(substrate, nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// PAPI_overflow_option_t: in the union, named by no option of the manual.
TEST_F(Abi35, TheOverflowOptionHoldsTheArgumentsOfPapiOverflow) {
  const PAPI_overflow_handler_t handler = [](int, void*, long long, void*) {};
  option_.ovf_info = {7, PAPI_TOT_CYC, 1LL << 40, handler};
  EXPECT_EQ(option_.ovf_info.eventset, 7);
  EXPECT_EQ(option_.ovf_info.event, PAPI_TOT_CYC);
  EXPECT_EQ(option_.ovf_info.threshold, 1LL << 40);
  EXPECT_EQ(option_.ovf_info.handler, handler);
}

std::set<int> Listed(int modifier) {
  std::set<int> codes;
  int code = PAPI_PRESET_MASK;
  while (PAPI_enum_event(&code, modifier) == PAPI_OK) {
    if (!codes.insert(code).second) ADD_FAILURE() << "twice: " << std::hex << code;
    if (codes.size() > 1000) break;
  }
  return codes;
}

TEST_F(Abi35, EveryValueButZeroIsTrue) {
  const std::set<int> available = Listed(kTrue);
  EXPECT_EQ(available.size(), 6u);  // five presets of the fixture, and MY_FAULTS
  EXPECT_TRUE(available.count(PAPI_UE_MASK));
  for (const int modifier :
       {-1, INT_MIN, INT_MAX, int{PAPI_NTV_ENUM_UMASKS}, int{PAPI_PRESET_ENUM_AVAIL}}) {
    EXPECT_EQ(Listed(modifier), available) << modifier;
  }
  EXPECT_GT(Listed(PAPI_ENUM_ALL).size(), 100u);
}

TEST_F(Abi35, ListsPresetsBySubjectAs7Does) {
  const std::set<int> branches = Listed(PAPI_PRESET_ENUM_BR);
  EXPECT_TRUE(branches.count(PAPI_BR_MSP));
  EXPECT_FALSE(branches.count(PAPI_TOT_CYC));
  EXPECT_FALSE(branches.count(PAPI_UE_MASK));
}

TEST_F(Abi35, TheFirstEventIsAskedForByName) {
  for (const int family : {PAPI_PRESET_MASK, PAPI_NATIVE_MASK, PAPI_UE_MASK}) {
    int code = family;
    ASSERT_EQ(PAPI_enum_event(&code, PAPI_ENUM_FIRST), PAPI_OK) << std::hex << family;
    const int first = code;
    if (family != PAPI_UE_MASK) {
      EXPECT_EQ(PAPI_enum_event(&code, PAPI_ENUM_ALL), PAPI_OK);
    }
    EXPECT_EQ(PAPI_enum_event(&code, PAPI_ENUM_FIRST), PAPI_OK);
    EXPECT_EQ(code, first);
    EXPECT_EQ(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0), PAPI_OK);
    EXPECT_EQ(code, first);
  }
}

TEST_F(Abi35, TheEndOfTheListChangesNothing) {
  int code = PAPI_UE_MASK;
  EXPECT_EQ(PAPI_enum_event(&code, kTrue), PAPI_ENOEVNT);
  EXPECT_EQ(code, PAPI_UE_MASK);
  EXPECT_EQ(PAPI_enum_event(nullptr, kTrue), PAPI_EINVAL);
  code = 0;
  EXPECT_EQ(PAPI_enum_event(&code, kTrue), PAPI_EINVAL);
}

}  // namespace

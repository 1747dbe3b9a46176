// What papi35.h makes of 3.5's names; PAPI 7.0's library has none of it: no peer.
#include "compat/papi/include/papi35_abi.h"
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

int Turn(Scene& s, int option, int handle, int us) {
  s.out.option.multiplex.eventset = handle;
  s.out.option.multiplex.ns = us;  // 3.5's us
  s.Ready();
  return PAPI_set_opt(option, &s.out.option);
}

int TurnOf(Scene& s, int handle) {
  s.out.option.multiplex.eventset = handle;
  s.Ready();
  return PAPI_get_opt(PAPI_35_MULTIPLEX, &s.out.option);
}

int Default(Scene& s, int option, int value) {
  s.out.option.defdomain.domain = value;  // and defgranularity.granularity
  s.Ready();
  return PAPI_set_opt(option, &s.out.option);
}

int Next(Scene& s, int code, int modifier) {
  s.out.code = code;
  s.Ready();
  return PAPI_enum_event_35(&s.out.code, modifier);
}

/// PAPI_get_substrate_info says why it has none by the code that PAPI_perror tells.
int Substrate() { return PAPI_get_substrate_info() ? PAPI_OK : PAPI_ENOINIT; }

const Row kRows[] = {
    BAD(BeforeInit, Substrate(), PAPI_ENOINIT),
    BAD(BeforeInit, Next(s, PAPI_PRESET_MASK, 1), PAPI_ENOINIT),
    BAD(Init, PAPI_enum_event_35(nullptr, 1), PAPI_EINVAL),
    BAD(Init, Next(s, 0, 1), PAPI_EINVAL),
    BAD(Init, Next(s, PAPI_UE_MASK + PAPI_MAX_USER_EVENTS, 1), PAPI_ENOEVNT),
    BAD(Init, Next(s, PAPI_NATIVE_MASK, 12345), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_perror_35(1, s.out.name, 8), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_perror_35(-PAPI_NUM_ERRORS, s.out.name, 8), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_perror_35(PAPI_ENOEVNT, s.out.name, -1), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_perror_35(INT_MIN, nullptr, 0), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_get_opt(PAPI_35_DEF_MPX_USEC, &s.out.option), PAPI_ENOINIT),
    BAD(BeforeInit, PAPI_get_opt(PAPI_35_SUBSTRATEINFO, &s.out.option), PAPI_ENOINIT),
    BAD(BeforeInit, PAPI_set_opt(PAPI_35_DEFDOM, &s.out.option), PAPI_ENOINIT),
    BAD(Init, PAPI_get_opt(PAPI_35_DEF_MPX_USEC, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_35_SUBSTRATEINFO, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_35_MULTIPLEX, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_35_DEFDOM, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_set_opt(PAPI_35_SUBSTRATEINFO, &s.out.option), PAPI_EINVAL),
    BAD(Init, PAPI_get_opt(PAPI_35_OPTION, &s.out.option), PAPI_EINVAL),
    BAD(Init, Default(s, PAPI_35_DEFDOM, 0x40), PAPI_EINVAL),
    BAD(Init, Default(s, PAPI_35_DEFDOM, -1), PAPI_EINVAL),
    BAD(Init, Default(s, PAPI_35_DEFGRN, 0x40), PAPI_EINVAL),
    BAD(Init, Turn(s, PAPI_35_DEF_MPX_USEC, 0, 0), PAPI_EINVAL),
    BAD(Init, Turn(s, PAPI_35_DEF_MPX_USEC, 0, -1), PAPI_EINVAL),
    BAD(Init, Turn(s, PAPI_35_DEF_MPX_USEC, 0, INT_MAX), PAPI_EINVAL),
    BAD(Init, Turn(s, PAPI_35_MULTIPLEX, 1000, 10), PAPI_ENOEVST),
    BAD(Init, TurnOf(s, 1000), PAPI_ENOEVST),
    BAD(Stopped, Turn(s, PAPI_35_MULTIPLEX, s.set, INT_MAX), PAPI_EINVAL),
    BAD(Empty, Turn(s, PAPI_35_MULTIPLEX, s.set, 10), PAPI_ENOCMP),
    BAD(Running, Turn(s, PAPI_35_MULTIPLEX, s.set, 10), PAPI_EISRUN),
    BAD(Multiplexed, Turn(s, PAPI_35_MULTIPLEX, s.set, 10), PAPI_EINVAL),
};

INSTANTIATE_TEST_SUITE_P(Abi35, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test

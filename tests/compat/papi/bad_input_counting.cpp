// Starting, stopping, reading.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

int StartOther(Scene& s) { return PAPI_start(s.other); }

const Row kRows[] = {
    BAD_PEER(BeforeInit, PAPI_start(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_start(set); }), PAPI_ENOEVST),
    BAD(Empty, PAPI_start(s.set), PAPI_ENOCMP),
    BAD(Bound, PAPI_start(s.set), PAPI_EINVAL),
    BAD(Running, PAPI_start(s.set), PAPI_EISRUN),
    BAD(Running, StartOther(s), PAPI_EISRUN),

    BAD_PEER(BeforeInit, PAPI_stop(0, s.out.values), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_stop(set, t.out.values); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_stop(s.set, s.out.values), PAPI_ENOCMP),
    BAD(Stopped, PAPI_stop(s.set, s.out.values), PAPI_ENOTRUN),
    BAD(Stopped, PAPI_stop(s.set, nullptr), PAPI_ENOTRUN),
    BAD(Running, PAPI_stop(s.set, nullptr), PAPI_OK),

    BAD_PEER(BeforeInit, PAPI_read(0, s.out.values), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_read(set, t.out.values); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_read(s.set, nullptr), PAPI_EINVAL),
    BAD(Running, PAPI_read(s.set, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_read(s.set, s.out.values), PAPI_OK),

    BAD_PEER(BeforeInit, PAPI_read_ts(0, s.out.values, &s.out.cycles), PAPI_ENOINIT, kPeerCrashes,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(
            s, [](Scene& t, int set) { return PAPI_read_ts(set, t.out.values, &t.out.cycles); }),
        PAPI_ENOEVST),
    BAD(Running, PAPI_read_ts(s.set, nullptr, &s.out.cycles), PAPI_EINVAL),
    BAD_PEER(Running, PAPI_read_ts(s.set, s.out.values, nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD_PEER(Stopped, PAPI_read_ts(s.set, s.out.values, nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),

    BAD_PEER(BeforeInit, PAPI_accum(0, s.out.values), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_accum(set, t.out.values); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_accum(s.set, nullptr), PAPI_EINVAL),
    BAD(Running, PAPI_accum(s.set, nullptr), PAPI_EINVAL),

    BAD_PEER(BeforeInit, PAPI_reset(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_reset(set); }), PAPI_ENOEVST),

    BAD_PEER(BeforeInit, PAPI_write(0, s.out.values), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_write(set, t.out.values); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_write(s.set, nullptr), PAPI_EINVAL),
    BAD(Running, PAPI_write(s.set, nullptr), PAPI_EINVAL),

    BAD_PEER(BeforeInit, PAPI_get_multiplex(0), PAPI_ENOINIT, PAPI_OK, kNotInitialized),
    BAD_PEER(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_get_multiplex(set); }),
             PAPI_ENOEVST, PAPI_OK, kNotChecked),
    BAD_PEER(BeforeInit, PAPI_set_multiplex(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_set_multiplex(set); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_set_multiplex(s.set), PAPI_ENOCMP),
    BAD(Multiplexed, PAPI_set_multiplex(s.set), PAPI_EINVAL),
    BAD(Running, PAPI_set_multiplex(s.set), PAPI_EISRUN),
    BAD(BeforeInit, PAPI_multiplex_init(), PAPI_OK),

    BAD(BeforeInit, PAPI_attach(0, 1), PAPI_ENOINIT),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_attach(set, 1); }),
        PAPI_ENOEVST),
    BAD(Running, PAPI_attach(s.set, 1), PAPI_EISRUN),
    BAD(Empty, PAPI_attach(s.set, 1), PAPI_ENOCMP),
    BAD_PEER(Stopped, PAPI_attach(s.set, 0x7fffffff), PAPI_EINVAL, PAPI_ESYS, kManualsCode),
    BAD(Stopped, PAPI_attach(s.set, ~0ul), PAPI_EINVAL),
    BAD_PEER(Stopped, PAPI_attach(s.set, 1ul << 40), PAPI_EINVAL, PAPI_ENOEVNT, kManualsCode),
    BAD(BeforeInit, PAPI_detach(0), PAPI_ENOINIT),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_detach(set); }),
        PAPI_ENOEVST),
    BAD(Running, PAPI_detach(s.set), PAPI_EISRUN),
    BAD(Stopped, PAPI_detach(s.set), PAPI_EINVAL),
    BAD(Empty, PAPI_detach(s.set), PAPI_ENOCMP),
};

INSTANTIATE_TEST_SUITE_P(Counting, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test

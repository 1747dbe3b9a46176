// PAPI_overflow, PAPI_profil, PAPI_sprofil and the vector of overflows.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

constexpr int kUnknownNative = PAPI_NATIVE_MASK | 0x3fffffff;

// Buffer, bytes, scale, threshold, flags; of the first event.
int Profil(Scene& s, void* buffer, unsigned bytes, unsigned scale, int threshold, int flags) {
  return PAPI_profil(buffer, bytes, nullptr, scale, s.set, s.task_clock, threshold, flags);
}

int Sprofil(Scene& s, void* buffer, unsigned bytes, unsigned scale, int count) {
  s.out.regions[0] = PAPI_sprofil_t{s.out.buckets, sizeof s.out.buckets, nullptr, 2};
  s.out.regions[1] = PAPI_sprofil_t{buffer, bytes, nullptr, scale};
  s.Ready();
  return PAPI_sprofil(s.out.regions, count, s.set, s.task_clock, 1'000'000, PAPI_PROFIL_POSIX);
}

int EventIndex(Scene& s, long long vector, int number) {
  s.out.number = number;
  s.Ready();
  return PAPI_get_overflow_event_index(s.set, vector, s.out.codes, &s.out.number);
}

int OverflowWhileProfiling(Scene& s) {
  return PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, CountOverflow);
}

const Row kOverflow[] = {
    BAD_PEER(BeforeInit, PAPI_overflow(0, PAPI_TOT_INS, 1'000'000, 0, CountOverflow), PAPI_ENOINIT,
             kPeerCrashes, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) {
                             return PAPI_overflow(set, t.task_clock, 1'000'000, 0, CountOverflow);
                           }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, CountOverflow), PAPI_ENOCMP),
    BAD(Bound, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, CountOverflow), PAPI_ENOEVNT),
    BAD(Stopped, PAPI_overflow(s.set, s.cpu_clock, 1'000'000, 0, CountOverflow), PAPI_ENOEVNT),
    BAD(Stopped, PAPI_overflow(s.set, kUnknownNative, 1'000'000, 0, CountOverflow), PAPI_ENOEVNT),
    BAD(Stopped, PAPI_overflow(s.set, 0, 1'000'000, 0, CountOverflow), PAPI_ENOEVNT),
    BAD(Stopped, PAPI_overflow(s.set, s.task_clock, -1, 0, CountOverflow), PAPI_EINVAL),
    BAD(Stopped, PAPI_overflow(s.set, s.task_clock, INT_MIN, 0, CountOverflow), PAPI_EINVAL),
    BAD(Stopped, PAPI_overflow(s.set, s.task_clock, INT_MAX, 0, CountOverflow), PAPI_OK),
    BAD(Stopped, PAPI_overflow(s.set, s.task_clock, 0, 0, CountOverflow), PAPI_EINVAL),
    BAD(Overflow, PAPI_overflow(s.set, s.page_faults, 0, 0, CountOverflow), PAPI_EINVAL),
    BAD(Stopped, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, nullptr), PAPI_EINVAL),
    BAD_PEER(Stopped, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0x1000, CountOverflow),
             PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, PAPI_overflow(s.set, s.task_clock, 1'000'000, -1, CountOverflow), PAPI_EINVAL,
             PAPI_OK, kNotChecked),
    BAD(Running, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, CountOverflow), PAPI_EISRUN),
    BAD(Running, PAPI_overflow(s.set, s.task_clock, 0, 0, nullptr), PAPI_EISRUN),
    BAD(Overflow,
        PAPI_overflow(s.set, s.page_faults, 1'000'000, PAPI_OVERFLOW_FORCE_SW, CountOverflow),
        PAPI_ECNFLCT),
    BAD(Overflow, PAPI_overflow(s.set, s.task_clock, -5, 0, CountOverflow), PAPI_EINVAL),
    BAD_PEER(Overflow, PAPI_overflow(s.set, s.task_clock, 1'000'000, 0, nullptr), PAPI_EINVAL,
             kPeerCrashes, kNotChecked),
    BAD_PEER(Profiling, OverflowWhileProfiling(s), PAPI_ECNFLCT, PAPI_OK, kNotChecked),

    BAD_PEER(BeforeInit, EventIndex(s, 1, 8), PAPI_ENOINIT, PAPI_ENOEVST, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) {
                             t.out.number = 8;
                             t.Ready();
                             return PAPI_get_overflow_event_index(set, 1, t.out.codes,
                                                                  &t.out.number);
                           }),
        PAPI_ENOEVST),
    BAD(Stopped, EventIndex(s, 0, 8), PAPI_EINVAL),
    BAD(Stopped, EventIndex(s, 1, 0), PAPI_EINVAL),
    BAD(Stopped, EventIndex(s, 1, -1), PAPI_EINVAL),
    BAD(Stopped, EventIndex(s, 1, INT_MIN), PAPI_EINVAL),
    BAD(Empty, EventIndex(s, 1, 8), PAPI_EINVAL),
    BAD(Stopped, EventIndex(s, 1ll << 40, 8), PAPI_OK),
    BAD(Stopped, EventIndex(s, LLONG_MIN, 8), PAPI_OK),
    BAD(Stopped, PAPI_get_overflow_event_index(s.set, 1, nullptr, &s.out.number), PAPI_EINVAL),
    BAD(Stopped, PAPI_get_overflow_event_index(s.set, 1, s.out.codes, nullptr), PAPI_EINVAL),
};

const Row kProfil[] = {
    BAD_PEER(BeforeInit, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0), PAPI_ENOINIT, PAPI_ENOEVST,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) {
                             return PAPI_profil(t.out.buckets, 64, nullptr, 2, set, t.task_clock,
                                                1'000'000, 0);
                           }),
        PAPI_ENOEVST),
    BAD_PEER(Stopped, Profil(s, nullptr, 64, 2, 1'000'000, 0), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets, 0, 2, 1'000'000, 0), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets, 1, 2, 1'000'000, 0), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets, 7, 2, 1'000'000, PAPI_PROFIL_BUCKET_64), PAPI_EINVAL,
             PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets + 1, 60, 2, 1'000'000, 0), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets + 2, 60, 2, 1'000'000, PAPI_PROFIL_BUCKET_32),
             PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Profil(s, s.out.buckets + 4, 60, 2, 1'000'000, PAPI_PROFIL_BUCKET_64),
             PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 0, 1'000'000, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 1, 1'000'000, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 0x20001, 1'000'000, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, UINT_MAX, 1'000'000, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, -1, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, INT_MIN, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, INT_MAX, 0), PAPI_OK),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, 0, 0), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0x8000), PAPI_EINVAL),
    BAD(Stopped, Profil(s, s.out.buckets, 64, 2, 1'000'000, -1), PAPI_EINVAL),
    BAD(Stopped,
        Profil(s, s.out.buckets, 64, 2, 1'000'000, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32),
        PAPI_EINVAL),
    BAD(Stopped, PAPI_profil(s.out.buckets, 64, nullptr, 2, s.set, s.cpu_clock, 1'000'000, 0),
        PAPI_ENOEVNT),
    BAD(Stopped, PAPI_profil(s.out.buckets, 64, nullptr, 2, s.set, kUnknownNative, 1'000'000, 0),
        PAPI_ENOEVNT),
    BAD_PEER(Empty, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0), PAPI_ENOEVNT, PAPI_ENOCMP,
             kManualsCode),
    BAD_PEER(Empty, Sprofil(s, s.out.buckets, 64, 2, 1), PAPI_ENOEVNT, PAPI_ENOCMP, kManualsCode),
    BAD(Running, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0), PAPI_EISRUN),
    BAD_PEER(Running, Profil(s, s.out.buckets, 64, 2, 0, 0), PAPI_EISRUN, PAPI_EINVAL,
             kManualsCode),
    BAD_PEER(Overflow, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0), PAPI_ECNFLCT, PAPI_OK,
             kNotChecked),
    BAD_PEER(Profiling, Profil(s, nullptr, 64, 2, 1'000'000, 0), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Profiling, Profil(s, s.out.buckets, 64, 2, 1'000'000, 0x8000), PAPI_EINVAL),

    BAD_PEER(BeforeInit, Sprofil(s, s.out.buckets, 64, 2, 1), PAPI_ENOINIT, PAPI_ENOEVST,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) {
                             t.out.regions[0] = PAPI_sprofil_t{t.out.buckets, 64, nullptr, 2};
                             t.Ready();
                             return PAPI_sprofil(t.out.regions, 1, set, t.task_clock, 1'000'000, 0);
                           }),
        PAPI_ENOEVST),
    BAD_PEER(Stopped, PAPI_sprofil(nullptr, 1, s.set, s.task_clock, 1'000'000, 0), PAPI_EINVAL,
             PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, s.out.buckets, 64, 2, 0), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, s.out.buckets, 64, 2, -1), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, s.out.buckets, 64, 2, INT_MIN), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, nullptr, 64, 2, 2), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, s.out.buckets, 0, 2, 2), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD_PEER(Stopped, Sprofil(s, s.out.buckets + 1, 60, 2, 2), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Stopped, Sprofil(s, s.out.buckets, 64, 1, 2), PAPI_EINVAL),
    BAD(Stopped, Sprofil(s, s.out.buckets, 64, 0x40000, 2), PAPI_EINVAL),
    BAD(Running, Sprofil(s, s.out.buckets, 64, 2, 1), PAPI_EISRUN),
};

INSTANTIATE_TEST_SUITE_P(Overflow, BadInput, ::testing::ValuesIn(kOverflow), RowName);
INSTANTIATE_TEST_SUITE_P(Profil, BadInput, ::testing::ValuesIn(kProfil), RowName);

}  // namespace
}  // namespace csink::papi_test

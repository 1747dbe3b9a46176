// Event sets: making and freeing them, putting events in and taking them out.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

constexpr int kNotInTable = PAPI_PRESET_MASK | 127;
constexpr int kUnknownNative = PAPI_NATIVE_MASK | 0x3fffffff;
constexpr int kUnknownUser = static_cast<int>(0xC0000031);
constexpr int kNoKind = 0x123;

int Create(int value) {
  int set = value;
  const int code = PAPI_create_eventset(&set);
  return set == value ? code : PAPI_EBUG;
}

int Destroy(int set) {
  int handle = set;
  const int code = PAPI_destroy_eventset(&handle);
  return handle == set ? code : PAPI_EBUG;
}

int AddSome(Scene& s, int count) {
  int codes[] = {s.cpu_clock};
  return PAPI_add_events(s.set, codes, count);
}

int RemoveSome(Scene& s, int count) {
  int codes[] = {s.task_clock};
  return PAPI_remove_events(s.set, codes, count);
}

// The first one fails: nothing was added, so it is that one's code.
int AddBadFirst(Scene& s) {
  int codes[] = {kUnknownNative, s.cpu_clock};
  return PAPI_add_events(s.set, codes, 2);
}

int AddBadSecond(Scene& s) {
  int codes[] = {s.cpu_clock, kUnknownNative};
  return PAPI_add_events(s.set, codes, 2);
}

int RemoveAbsentFirst(Scene& s) {
  int codes[] = {s.cpu_clock, s.task_clock};
  return PAPI_remove_events(s.set, codes, 2);
}

int List(Scene& s, int* codes, int number) {
  s.out.number = number;
  s.Ready();
  return PAPI_list_events(s.set, codes, &s.out.number);
}

const Row kRows[] = {
    BAD(BeforeInit, Create(PAPI_NULL), PAPI_ENOINIT),
    BAD(Init, PAPI_create_eventset(nullptr), PAPI_EINVAL),
    BAD(Init, Create(0), PAPI_EINVAL),
    BAD(Init, Create(-2), PAPI_EINVAL),
    BAD(Init, Create(INT_MAX), PAPI_EINVAL),
    BAD(Stopped, Create(s.set), PAPI_EINVAL),

    BAD(Init, PAPI_destroy_eventset(nullptr), PAPI_EINVAL),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return Destroy(set); }), PAPI_ENOEVST),
    BAD_PEER(BeforeInit, Destroy(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Stopped, Destroy(s.set), PAPI_EINVAL),
    BAD(Running, Destroy(s.set), PAPI_EISRUN),
    BAD(Overflow, Destroy(s.set), PAPI_EINVAL),
    BAD(Profiling, Destroy(s.set), PAPI_EINVAL),

    BAD_PEER(BeforeInit, PAPI_cleanup_eventset(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_cleanup_eventset(set); }),
        PAPI_ENOEVST),
    BAD(Running, PAPI_cleanup_eventset(s.set), PAPI_EISRUN),

    BAD_PEER(BeforeInit, PAPI_assign_eventset_component(0, 0), PAPI_ENOINIT, kPeerCrashes,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene&, int set) { return PAPI_assign_eventset_component(set, 0); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_assign_eventset_component(s.set, -1), PAPI_ENOCMP),
    BAD(Empty, PAPI_assign_eventset_component(s.set, 999), PAPI_ENOCMP),
    BAD(Empty, PAPI_assign_eventset_component(s.set, INT_MAX), PAPI_ENOCMP),
    BAD(Bound, PAPI_assign_eventset_component(s.set, 0), PAPI_EINVAL),
    BAD(Stopped, PAPI_assign_eventset_component(s.set, 0), PAPI_EINVAL),
    BAD(Running, PAPI_assign_eventset_component(s.set, 0), PAPI_EINVAL),

    BAD_PEER(BeforeInit, PAPI_add_event(0, PAPI_TOT_INS), PAPI_ENOINIT, kPeerCrashes,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_add_event(set, t.cpu_clock); }),
        PAPI_ENOEVST),
    BAD_PEER(Empty, PAPI_add_event(s.set, kNotInTable), PAPI_ENOEVNT, kPeerChanges, kNotChecked),
    BAD_PEER(Empty, PAPI_add_event(s.set, PAPI_END), PAPI_ENOEVNT, kPeerChanges, kNotChecked),
    BAD_PEER(Empty, PAPI_add_event(s.set, kUnknownNative), PAPI_ENOEVNT, PAPI_ENOCMP, kManualsCode),
    BAD_PEER(Empty, PAPI_add_event(s.set, kUnknownUser), PAPI_ENOEVNT, PAPI_EINVAL, kManualsCode),
    BAD(Empty, PAPI_add_event(s.set, kNoKind), PAPI_EINVAL),
    BAD(Empty, PAPI_add_event(s.set, 0), PAPI_EINVAL),
    BAD_PEER(Empty, PAPI_add_event(s.set, INT_MAX), PAPI_ENOEVNT, PAPI_ENOCMP, kManualsCode),
    BAD_PEER(Empty, PAPI_add_event(s.set, -1), PAPI_ENOEVNT, PAPI_ECNFLCT, kManualsCode),
    BAD_PEER(Stopped, PAPI_add_event(s.set, kUnknownNative), PAPI_ENOEVNT, PAPI_ENOCMP,
             kManualsCode),
    BAD(Stopped, PAPI_add_event(s.set, s.task_clock), PAPI_ECNFLCT),
    BAD(Running, PAPI_add_event(s.set, s.cpu_clock), PAPI_EISRUN),

    BAD(BeforeInit, PAPI_add_named_event(0, "perf::CPU-CLOCK"), PAPI_ENOINIT),
    BAD(Init,
        ForEachWrongHandle(
            s, [](Scene&, int set) { return PAPI_add_named_event(set, "perf::CPU-CLOCK"); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_add_named_event(s.set, nullptr), PAPI_EINVAL),
    BAD_PEER(Empty, PAPI_add_named_event(s.set, ""), PAPI_EINVAL, kPeerVaries, kAnotherComponent),
    BAD(Empty, PAPI_add_named_event(s.set, "perf::NO-SUCH-EVENT"), PAPI_ENOEVNT),
    BAD_PEER(Empty, PAPI_add_named_event(s.set, "PAPI_NO_SUCH"), PAPI_ENOEVNT, kPeerVaries,
             kAnotherComponent),
    BAD(Empty, PAPI_add_named_event(s.set, "no_pmu::EVENT"), PAPI_ENOEVNT),
    BAD_PEER(Empty, PAPI_add_named_event(s.set, std::string(100'000, 'x').c_str()), PAPI_EINVAL,
             kPeerCrashes, kNotChecked),
    BAD_PEER(Empty, PAPI_add_named_event(s.set, "perf::CPU-CLOCK:nonsense=1"), PAPI_EATTR,
             PAPI_ENOEVNT, kManualsCode),
    BAD(Running, PAPI_add_named_event(s.set, "perf::CPU-CLOCK"), PAPI_EISRUN),

    BAD_PEER(BeforeInit, AddSome(s, 1), PAPI_ENOINIT, PAPI_ENOEVST, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) { return PAPI_add_events(set, &t.cpu_clock, 1); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_add_events(s.set, nullptr, 1), PAPI_EINVAL),
    BAD(Empty, AddSome(s, 0), PAPI_EINVAL),
    BAD(Empty, AddSome(s, -1), PAPI_EINVAL),
    BAD(Empty, AddSome(s, INT_MIN), PAPI_EINVAL),
    BAD_PEER(Empty, AddBadFirst(s), PAPI_ENOEVNT, PAPI_ENOCMP, kManualsCode),
    BAD(Empty, AddBadSecond(s), 1),
    BAD(Running, AddSome(s, 1), PAPI_EISRUN),

    BAD_PEER(BeforeInit, PAPI_remove_event(0, PAPI_TOT_INS), PAPI_ENOINIT, kPeerCrashes,
             kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) { return PAPI_remove_event(set, t.cpu_clock); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_remove_event(s.set, s.cpu_clock), PAPI_EINVAL),
    BAD(Stopped, PAPI_remove_event(s.set, kUnknownNative), PAPI_EINVAL),
    BAD(Stopped, PAPI_remove_event(s.set, kNotInTable), PAPI_EINVAL),
    BAD(Stopped, PAPI_remove_event(s.set, kNoKind), PAPI_EINVAL),
    BAD_PEER(Empty, PAPI_remove_event(s.set, s.cpu_clock), PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD(Running, PAPI_remove_event(s.set, s.task_clock), PAPI_EISRUN),

    BAD(BeforeInit, PAPI_remove_named_event(0, "perf::CPU-CLOCK"), PAPI_ENOINIT),
    BAD(Init,
        ForEachWrongHandle(
            s, [](Scene&, int set) { return PAPI_remove_named_event(set, "perf::CPU-CLOCK"); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_remove_named_event(s.set, nullptr), PAPI_EINVAL),
    BAD(Stopped, PAPI_remove_named_event(s.set, "perf::CPU-CLOCK"), PAPI_EINVAL),
    BAD(Stopped, PAPI_remove_named_event(s.set, "perf::NO-SUCH-EVENT"), PAPI_ENOEVNT),
    BAD(Running, PAPI_remove_named_event(s.set, "perf::TASK-CLOCK"), PAPI_EISRUN),

    BAD_PEER(BeforeInit, RemoveSome(s, 1), PAPI_ENOINIT, PAPI_ENOEVST, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(
            s, [](Scene& t, int set) { return PAPI_remove_events(set, &t.cpu_clock, 1); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_remove_events(s.set, nullptr, 1), PAPI_EINVAL),
    BAD(Stopped, RemoveSome(s, 0), PAPI_EINVAL),
    BAD(Stopped, RemoveSome(s, -1), PAPI_EINVAL),
    BAD(Stopped, RemoveSome(s, INT_MIN), PAPI_EINVAL),
    BAD(Stopped, RemoveAbsentFirst(s), PAPI_EINVAL),
    BAD(Running, RemoveSome(s, 1), PAPI_EISRUN),

    BAD_PEER(BeforeInit, PAPI_list_events(0, s.out.codes, &s.out.number), PAPI_ENOINIT,
             kPeerCrashes, kNotInitialized),
    BAD(Init,
        ForEachWrongHandle(s,
                           [](Scene& t, int set) {
                             t.out.number = 8;
                             t.Ready();
                             return PAPI_list_events(set, t.out.codes, &t.out.number);
                           }),
        PAPI_ENOEVST),
    BAD_PEER(Stopped, PAPI_list_events(s.set, s.out.codes, nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD(Stopped, List(s, s.out.codes, -1), PAPI_EINVAL),
    BAD(Stopped, List(s, s.out.codes, INT_MIN), PAPI_EINVAL),
    BAD(Stopped, List(s, nullptr, 2), PAPI_EINVAL),
    BAD(Stopped, List(s, nullptr, 0), PAPI_OK),

    BAD_PEER(BeforeInit, PAPI_num_events(0), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_num_events(set); }),
        PAPI_ENOEVST),
    BAD(Empty, PAPI_num_events(s.set), 0),

    BAD_PEER(BeforeInit, PAPI_state(0, &s.out.code), PAPI_ENOINIT, kPeerCrashes, kNotInitialized),
    BAD(Init, ForEachWrongHandle(s, [](Scene& t, int set) { return PAPI_state(set, &t.out.code); }),
        PAPI_ENOEVST),
    BAD(Stopped, PAPI_state(s.set, nullptr), PAPI_EINVAL),

    BAD(Init,
        ForEachWrongHandle(s, [](Scene&, int set) { return PAPI_get_eventset_component(set); }),
        PAPI_ENOEVST),
    BAD_PEER(BeforeInit, PAPI_get_eventset_component(0), PAPI_ENOINIT, kPeerCrashes,
             kNotInitialized),
    BAD(Empty, PAPI_get_eventset_component(s.set), PAPI_ENOCMP),
};

INSTANTIATE_TEST_SUITE_P(Sets, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test

// The library itself and its threads: initialisation, locks, thread data, debugging, sentences.
#include "tests/compat/papi/bad_input.h"

namespace csink::papi_test {
namespace {

int ListThreads(Scene& s, unsigned long* tids, int number) {
  s.out.number = number;
  s.Ready();
  return PAPI_list_threads(tids, &s.out.number);
}

int UnlockThenLock(int lock) {
  PAPI_unlock(lock);
  const int code = PAPI_lock(lock);
  PAPI_unlock(lock);
  return code;
}

int ShutDownTwice() {
  PAPI_shutdown();
  PAPI_shutdown();
  return PAPI_is_initialized();
}

unsigned long Seven() { return 7; }

const Row kRows[] = {
    BAD(BeforeInit, PAPI_library_init(0), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_library_init(-1), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_library_init(PAPI_VERSION_NUMBER(6, 0, 0, 0)), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_library_init(PAPI_VERSION_NUMBER(7, 1, 0, 0)), PAPI_EINVAL),
    BAD(Running, PAPI_library_init(12), PAPI_EINVAL),
    BAD(Running, PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT),
    BAD(BeforeInit, ShutDownTwice(), PAPI_NOT_INITED),
    BAD(BeforeInit, PAPI_is_initialized(), PAPI_NOT_INITED),

    BAD(BeforeInit, PAPI_thread_init(Seven), PAPI_ENOINIT),
    BAD_PEER(Init, PAPI_thread_init(nullptr), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(BeforeInit, static_cast<int>(PAPI_thread_id()), PAPI_EMISC),
    BAD(Init, static_cast<int>(PAPI_thread_id()), PAPI_EMISC),
    BAD(BeforeInit, PAPI_register_thread(), PAPI_ENOINIT),
    BAD_PEER(BeforeInit, PAPI_unregister_thread(), PAPI_ENOINIT, PAPI_EMISC, kNotInitialized),
    BAD_PEER(BeforeInit, ListThreads(s, s.out.tids, 8), PAPI_ENOINIT, PAPI_OK, kNotInitialized),
    BAD(Init, PAPI_list_threads(s.out.tids, nullptr), PAPI_EINVAL),
    BAD(Init, PAPI_list_threads(nullptr, nullptr), PAPI_EINVAL),
    BAD(Init, ListThreads(s, s.out.tids, 0), PAPI_EINVAL),
    BAD(Init, ListThreads(s, s.out.tids, -1), PAPI_EINVAL),
    BAD(Init, ListThreads(s, s.out.tids, INT_MIN), PAPI_EINVAL),

    BAD(BeforeInit, PAPI_get_thr_specific(PAPI_USR1_TLS, &s.out.pointer), PAPI_ENOINIT),
    BAD(BeforeInit, PAPI_set_thr_specific(PAPI_USR1_TLS, nullptr), PAPI_ENOINIT),
    BAD(Init, PAPI_get_thr_specific(-1, &s.out.pointer), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_get_thr_specific(PAPI_NUM_TLS, &s.out.pointer), PAPI_EINVAL, PAPI_OK,
             kNotChecked),
    BAD(Init, PAPI_get_thr_specific(INT_MAX, &s.out.pointer), PAPI_EINVAL),
    BAD(Init, PAPI_get_thr_specific(INT_MIN, &s.out.pointer), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_get_thr_specific(PAPI_USR1_TLS, nullptr), PAPI_EINVAL, kPeerCrashes,
             kNotChecked),
    BAD_PEER(Init, PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS, nullptr),
             PAPI_EINVAL, kPeerCrashes, kNotChecked),
    BAD(Init, PAPI_set_thr_specific(-1, &s), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_set_thr_specific(PAPI_NUM_TLS, &s), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Init, PAPI_set_thr_specific(INT_MAX, &s), PAPI_EINVAL),
    BAD(Init, PAPI_set_thr_specific(PAPI_USR1_TLS, nullptr), PAPI_OK),

    BAD(BeforeInit, PAPI_lock(PAPI_USR1_LOCK), PAPI_OK),
    BAD(BeforeInit, PAPI_unlock(PAPI_USR1_LOCK), PAPI_OK),
    BAD(Init, PAPI_lock(-1), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_lock(PAPI_NUM_LOCK), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Init, PAPI_lock(INT_MAX), PAPI_EINVAL),
    BAD(Init, PAPI_lock(INT_MIN), PAPI_EINVAL),
    BAD(Init, PAPI_unlock(-1), PAPI_EINVAL),
    BAD_PEER(Init, PAPI_unlock(PAPI_NUM_LOCK), PAPI_EINVAL, PAPI_OK, kNotChecked),
    BAD(Init, PAPI_unlock(INT_MAX), PAPI_EINVAL),
    BAD(Init, UnlockThenLock(PAPI_USR2_LOCK), PAPI_OK),

    BAD(BeforeInit, PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK),
    BAD(Init, PAPI_set_debug(-1), PAPI_EINVAL),
    BAD(Init, PAPI_set_debug(3), PAPI_EINVAL),
    BAD(Init, PAPI_set_debug(INT_MAX), PAPI_EINVAL),

    BAD(Init, PAPI_strerror(1) != nullptr, 0),
    BAD(Init, PAPI_strerror(INT_MAX) != nullptr, 0),
    BAD_PEER(Init, PAPI_strerror(INT_MIN) != nullptr, 0, kPeerCrashes, kNotChecked),
    BAD(Init, PAPI_strerror(-PAPI_NUM_ERRORS) != nullptr, 0),
    BAD(Init, (PAPI_perror(nullptr), 0), 0),

    BAD(BeforeInit, PAPI_get_dmem_info(&s.out.memory), PAPI_OK),
    BAD(Init, PAPI_get_dmem_info(nullptr), PAPI_EINVAL),
    BAD(BeforeInit, PAPI_get_hardware_info() != nullptr, 0),
    BAD(BeforeInit, PAPI_get_executable_info() != nullptr, 0),
    BAD(BeforeInit, PAPI_get_shared_lib_info() != nullptr, 0),
};

INSTANTIATE_TEST_SUITE_P(Library, BadInput, ::testing::ValuesIn(kRows), RowName);

}  // namespace
}  // namespace csink::papi_test

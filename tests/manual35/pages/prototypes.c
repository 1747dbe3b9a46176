/* The prototypes of the manual, declared again after the header: a compiler refuses what differs.
 * Mended: PAPI_lock and PAPI_unlock return an int since PAPI 4 and have a space before `lock`;
 * PAPI_event_name_to_code and PAPI_encode_events take a const name, PAPI_num_hwctrs() and the function of
 * PAPI_thread_init() say (void), which "()" means in C++ and C23; PAPI_create_eventset returns an
 * int. */
#include "example.h"

#ifdef PAPI_profil
#undef PAPI_profil /* as papi35.h says */
#endif

#ifdef __cplusplus
extern "C" {
#endif
int PAPI_accum(int EventSet, long_long* values);
int PAPI_accum_counters(long_long* values, int array_len);
int PAPI_add_event(int EventSet, int EventCode);
int PAPI_add_events(int EventSet, int* EventCodes, int number);
int PAPI_attach(int EventSet, unsigned long tid);
int PAPI_cleanup_eventset(int EventSet);
int PAPI_create_eventset(int* EventSet);
int PAPI_destroy_eventset(int* EventSet);
int PAPI_detach(int EventSet);
int PAPI_encode_events(const char* event_file, int replace);
int PAPI_enum_event(int* EventCode, int modifer);
int PAPI_event_code_to_name(int EventCode, char* EventName);
int PAPI_event_name_to_code(const char* EventName, int* EventCode);
int PAPI_flips(float* rtime, float* ptime, long_long* flpins, float* mflips);
int PAPI_flops(float* rtime, float* ptime, long_long* flpops, float* mflops);
int PAPI_get_dmem_info(PAPI_dmem_info_t* dmem);
int PAPI_get_event_info(int EventCode, PAPI_event_info_t* info);
const PAPI_exe_info_t* PAPI_get_executable_info(void);
const PAPI_hw_info_t* PAPI_get_hardware_info(void);
int PAPI_get_multiplex(int EventSet);
int PAPI_get_opt(int option, PAPI_option_t* ptr);
int PAPI_get_overflow_event_index(int EventSet, long_long overflow_vector, int* array, int* number);
long_long PAPI_get_real_cyc(void);
long_long PAPI_get_real_usec(void);
const PAPI_shlib_info_t* PAPI_get_shared_lib_info(void);
const PAPI_substrate_info_t* PAPI_get_substrate_info(void);
int PAPI_get_thr_specific(int tag, void** ptr);
long_long PAPI_get_virt_cyc(void);
long_long PAPI_get_virt_usec(void);
int PAPI_ipc(float* rtime, float* ptime, long_long* ins, float* ipc);
int PAPI_is_initialized(void);
int PAPI_library_init(int version);
int PAPI_list_events(int EventSet, int* Events, int* number);
int PAPI_list_threads(PAPI_thread_id_t* id, int* number);
int PAPI_lock(int lock);
int PAPI_multiplex_init(void);
int PAPI_num_counters(void);
int PAPI_num_events(int EventSet);
int PAPI_num_hwctrs(void);
int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags,
                  PAPI_overflow_handler_t handler);
int PAPI_perror(int code, char* destination, int length);
int PAPI_profil(void* buf, unsigned bufsiz, unsigned long offset, unsigned scale, int EventSet,
                int EventCode, int threshold, int flags);
int PAPI_query_event(int EventCode);
int PAPI_read(int EventSet, long_long* values);
int PAPI_read_counters(long_long* values, int array_len);
int PAPI_register_thread(void);
int PAPI_remove_event(int EventSet, int EventCode);
int PAPI_remove_events(int EventSet, int* EventCode, int number);
int PAPI_reset(int EventSet);
int PAPI_set_debug(int debuglevel);
int PAPI_set_domain(int domain);
int PAPI_set_event_info(PAPI_event_info_t* info, int* EventCode, int replace);
int PAPI_set_granularity(int granularity);
int PAPI_set_multiplex(int EventSet);
int PAPI_set_opt(int option, PAPI_option_t* ptr);
int PAPI_set_thr_specific(int tag, void* ptr);
void PAPI_shutdown(void);
int PAPI_sprofil(PAPI_sprofil_t* prof, int profcnt, int EventSet, int EventCode, int threshold,
                 int flags);
int PAPI_start(int EventSet);
int PAPI_start_counters(int* events, int array_len);
int PAPI_state(int EventSet, int* status);
int PAPI_stop(int EventSet, long_long* values);
int PAPI_stop_counters(long_long* values, int array_len);
char* PAPI_strerror(int code);
unsigned long PAPI_thread_id(void);
int PAPI_thread_init(unsigned long int (*handle)(void));
int PAPI_unlock(int lock);
int PAPI_unregister_thread(void);
int PAPI_write(int EventSet, long_long* values);
#ifdef __cplusplus
}
#endif

int main(void) {
  /* By their addresses too: what the header redirects is redirected there. */
  int (*perror_of_35)(int, char*, int) = PAPI_perror;
  int (*enum_of_35)(int*, int) = PAPI_enum_event;
  int (*profil_of_35)(void*, unsigned, unsigned long, unsigned, int, int, int, int) = PAPI_profil;
  char text[8];
  int code = 0 | PAPI_PRESET_MASK, next;
  CHECK(perror_of_35(PAPI_OK, text, 3) == PAPI_OK && strcmp(text, "No") == 0);
  initialize();
  CHECK(enum_of_35(&code, 1) == PAPI_OK);
  next = code;
  CHECK(enum_of_35(&next, 1) == PAPI_OK && next != code);
  CHECK(profil_of_35(NULL, 0, 0, 65536, 1000, PAPI_TOT_INS, 1, 0) == PAPI_ENOEVST);
  return 0;
}

/* A libsde whose reads take the lock under which it reports a count, as versions after 7.0 do. It
 * has one created counter, number 0. The lock says when its holder asks for it again. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static const char name[] = "Locking::created";
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static long long counted, begun;

EXPORTED int locking_sde_deadlocks;

static int enter(void) {
  if (pthread_mutex_lock(&lock) != EDEADLK) return 1;
  ++locking_sde_deadlocks;
  return 0;
}

EXPORTED void locking_sde_count(long long by) {
  static void (*report)(uint32_t, long long);
  if (!report) *(void**)&report = dlsym(RTLD_DEFAULT, "papi_sde_check_overflow_status");
  if (!enter()) return;
  counted += by;
  report(0, counted);
  pthread_mutex_unlock(&lock);
}

EXPORTED int sde_ti_get_num_reg_events(void) { return 1; }
EXPORTED char* sde_ti_get_event_name(int number) { return number == 0 ? (char*)name : NULL; }
EXPORTED char* sde_ti_get_event_description(int number) { return sde_ti_get_event_name(number); }
EXPORTED int sde_ti_name_to_code(const char* wanted, uint32_t* number) {
  *number = 0;
  return strcmp(wanted, name) == 0 ? 0 : -1;
}
EXPORTED int sde_ti_read_counter(uint32_t number, long long* value) {
  if (number != 0 || !enter()) return -1;
  *value = counted - begun;
  pthread_mutex_unlock(&lock);
  return 0;
}
EXPORTED int sde_ti_reset_counter(uint32_t number) {
  if (number != 0 || !enter()) return -1;
  begun = counted;
  pthread_mutex_unlock(&lock);
  return 0;
}
EXPORTED int sde_ti_write_counter(uint32_t number, long long value) {
  (void)number, (void)value;
  return -1;
}
EXPORTED int sde_ti_is_simple_counter(uint32_t number) { return number == 0 ? 0 : -1; }
EXPORTED int sde_ti_set_counter_overflow(uint32_t number, int threshold) {
  (void)threshold;
  return number == 0 ? 0 : -1;
}
EXPORTED int sde_ti_is_counter_set_to_overflow(uint32_t number) {
  (void)number;
  return 0;
}

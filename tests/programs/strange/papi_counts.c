// A program that counts and profiles itself by libpapi, over SIGTRAP or what its library
// takes: its counts must be those without the agent.
// Prints "faults N" (page faults of a known loop), "overflows ok|wrong", "profiled ok|wrong".
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long g_overflows;
static void OnOverflow(int set, void* pc, long long vector, void* context) {
  (void)set;
  (void)pc;
  (void)vector;
  (void)context;
  ++g_overflows;
}

static void Touch(long pages) {
  const long page = sysconf(_SC_PAGESIZE);
  char* memory = mmap(NULL, (size_t)(pages * page), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, (size_t)(pages * page), MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; ++i) memory[i * page] = 1;
  munmap(memory, (size_t)(pages * page));
}

__attribute__((noinline)) static void Spin(unsigned long rounds) {
  unsigned long x = rounds;
  for (unsigned long i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

static void Need(int r, const char* what) {
  if (r == PAPI_OK) return;
  printf("%s: %s\n", what, PAPI_strerror(r));
  exit(4);
}

int main(void) {
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 3;
  int set = PAPI_NULL;
  long long value = 0;
  int event = 0;
  Need(PAPI_create_eventset(&set), "create");
  Need(PAPI_event_name_to_code("perf::PAGE-FAULTS", &event), "name");
  Need(PAPI_add_event(set, event), "add");
  Touch(10);
  Need(PAPI_start(set), "start");
  Touch(5000);
  Need(PAPI_stop(set, &value), "stop");
  printf("faults %s\n", value >= 5000 && value < 5050 ? "ok" : "wrong");
  Need(PAPI_overflow(set, event, 100, 0, OnOverflow), "overflow");
  Need(PAPI_start(set), "start");
  Touch(5000);
  Need(PAPI_stop(set, &value), "stop");
  printf("overflows %s\n", g_overflows >= 48 && g_overflows <= 52 ? "ok" : "wrong");
  Spin(500000000);
  return 0;
}

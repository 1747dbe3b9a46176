/* Regions of two threads, nested and read, for comparing reports of two libraries. */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void Need(int code) {
  if (code == PAPI_OK) return;
  fprintf(stderr, "region_program: %s\n", PAPI_strerror(code));
  exit(1);
}

static volatile double g_sink;
static void Work(void) {
  for (int i = 0; i < 2000000; ++i) g_sink = g_sink + i;
}

static void* Thread(void* none) {
  Need(PAPI_hl_region_begin("thread"));
  Work();
  Need(PAPI_hl_region_end("thread"));
  return none;
}

int main(void) {
  pthread_t thread;
  Need(PAPI_hl_region_begin("outer"));
  Need(PAPI_hl_read("outer"));
  for (int i = 0; i < 2; ++i) {
    Need(PAPI_hl_region_begin("inner"));
    Work();
    Need(PAPI_hl_region_end("inner"));
  }
  Need(PAPI_hl_read("outer"));
  Need(PAPI_hl_region_end("outer"));
  Need(PAPI_hl_stop());
  Need(PAPI_hl_region_begin("again"));
  Need(PAPI_hl_region_end("again"));
  if (pthread_create(&thread, NULL, Thread, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}

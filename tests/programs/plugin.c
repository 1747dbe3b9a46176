// The library that dl_storm and loads load and unload; twice, under two names, with the
// hot function named by PLUGIN_HOT.
#include <pthread.h>

#include "burn.h"

#ifndef PLUGIN_HOT
#define PLUGIN_HOT PluginHot
#endif
#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT void PluginBurn(unsigned long us);
PLUGIN_EXPORT void PluginThread(unsigned long us);
PLUGIN_EXPORT void PluginStart(unsigned long us);
PLUGIN_EXPORT void PluginJoin(void);
PLUGIN_EXPORT void PLUGIN_HOT(unsigned long us);

__attribute__((noinline)) void PLUGIN_HOT(unsigned long us) { BurnShortUs(us); }

#ifdef PLUGIN_TWIN
void PluginBurn(unsigned long us) { PLUGIN_HOT(us); }
#else
__attribute__((noinline)) void PluginBurn(unsigned long us) { BurnShortUs(us); }
#endif

static __attribute__((noinline)) void* ThreadInPlugin(void* us) {
  BurnShortUs(*(unsigned long*)us);
  return 0;
}
void PluginThread(unsigned long us) {
  pthread_t thread;
  if (pthread_create(&thread, 0, ThreadInPlugin, &us) == 0) pthread_join(thread, 0);
}

// A thread that goes on beside its creator.
static pthread_t started;
static unsigned long started_us;
void PluginStart(unsigned long us) {
  started_us = us;
  if (pthread_create(&started, 0, ThreadInPlugin, &started_us) != 0) started_us = 0;
}
void PluginJoin(void) {
  if (started_us != 0) pthread_join(started, 0);
}

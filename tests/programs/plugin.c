// The library that dl_storm loads and unloads.
#include "burn.h"

__attribute__((visibility("default"))) void PluginBurn(unsigned long us);
__attribute__((noinline)) void PluginBurn(unsigned long us) { BurnShortUs(us); }

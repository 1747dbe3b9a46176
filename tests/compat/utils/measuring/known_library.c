/* For LD_PRELOAD under a tool that describes: events, presets, caches that are known beforehand, so
 * that what the tool prints does not depend on the machine.
 *
 *   events   KNOWN_INT, KNOWN_UNSIGNED, KNOWN_REAL, KNOWN_BITS can be added and counted, each with
 *            a type of its own; nothing else can
 *   presets  the same four, with the formulas, notes and quotation marks that a table may have;
 *            KNOWN_BITS is not available
 *   caches   every kind, every associativity */
#include <limits.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { kFirst = (int)PAPI_PRESET_MASK, kEvents = 4 };

struct known {
  const char* name;
  int type;
  const char* units;
  long long value;
  const char* derived;
  const char* postfix;
  const char* long_text;
  const char* note;
  unsigned natives;
};

static const struct known g_known[kEvents] = {
    {"KNOWN_INT", PAPI_DATATYPE_INT64, "", -5, "NOT_DERIVED", "", "A plain one", "", 1},
    {"KNOWN_UNSIGNED", PAPI_DATATYPE_UINT64, "mJ", -5, "DERIVED_ADD", "", "Two, added",
     "counts \"both\", here", 2},
    {"KNOWN_REAL", PAPI_DATATYPE_FP64, "W", 0x3ff8000000000000, "DERIVED_POSTFIX", "N0|N1|/|", "",
     "", 2},
    {"KNOWN_BITS", PAPI_DATATYPE_BIT64, "flags", 0x40, "NOT_DERIVED", "", "Not on this machine", "",
     0},
};

static int g_added[kEvents];
static int g_count;

static int NumberOf(const char* name) {
  for (int i = 0; i < kEvents; ++i) {
    if (strcmp(g_known[i].name, name) == 0) return i;
  }
  return -1;
}

EXPORTED int PAPI_add_named_event(int EventSet, const char* name) {
  (void)EventSet;
  const int number = NumberOf(name);
  if (number < 0) return PAPI_ENOEVNT;
  g_added[g_count++] = number;
  return PAPI_OK;
}

EXPORTED int PAPI_event_name_to_code(const char* name, int* code) {
  const int number = NumberOf(name);
  if (number < 0) return PAPI_ENOEVNT;
  *code = kFirst + number;
  return PAPI_OK;
}

EXPORTED int PAPI_add_event(int EventSet, int code) {
  (void)EventSet, (void)code;
  return PAPI_ENOEVNT;
}

EXPORTED int PAPI_start(int EventSet) { return (void)EventSet, PAPI_OK; }

EXPORTED int PAPI_stop(int EventSet, long long* values) {
  (void)EventSet;
  for (int i = 0; i < g_count; ++i) values[i] = g_known[g_added[i]].value;
  return PAPI_OK;
}

EXPORTED int PAPI_enum_event(int* code, int modifier) {
  if (modifier == PAPI_ENUM_FIRST) {
    *code = kFirst;
    return PAPI_OK;
  }
  if (*code + 1 >= kFirst + kEvents) return PAPI_ENOEVNT;
  ++*code;
  return PAPI_OK;
}

EXPORTED int PAPI_get_event_info(int code, PAPI_event_info_t* info) {
  if (code < kFirst || code >= kFirst + kEvents) return PAPI_ENOEVNT;
  const struct known* known = &g_known[code - kFirst];
  memset(info, 0, sizeof *info);
  info->event_code = (unsigned)code;
  info->data_type = known->type;
  info->count = known->natives;
  strcpy(info->symbol, known->name);
  strcpy(info->units, known->units);
  strcpy(info->derived, known->derived);
  strcpy(info->postfix, known->postfix);
  strcpy(info->short_descr, "Short text");
  strcpy(info->long_descr, known->long_text);
  strcpy(info->note, known->note);
  for (unsigned i = 0; i < known->natives; ++i) {
    snprintf(info->name[i], sizeof info->name[i], "pmu::EVENT:mask%u", i);
  }
  return PAPI_OK;
}

static void FillTlbs(PAPI_mh_level_t* level) {
  level[0].tlb[0] = (PAPI_mh_tlb_info_t){PAPI_MH_TYPE_INST, 64, 4096, SHRT_MAX};
  level[0].tlb[1] = (PAPI_mh_tlb_info_t){PAPI_MH_TYPE_DATA, 32, 2097152, 8};
  level[0].tlb[2] = (PAPI_mh_tlb_info_t){PAPI_MH_TYPE_UNIFIED, 16, 0, 1};
  level[1].tlb[0] = (PAPI_mh_tlb_info_t){PAPI_MH_TYPE_UNIFIED | PAPI_MH_TYPE_TLB, 33, 4096, 0};
}

static void FillCaches(PAPI_mh_level_t* level) {
  level[0].cache[0] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_INST | PAPI_MH_TYPE_LRU, 32768, 64, 512, 8};
  level[0].cache[1] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_DATA | PAPI_MH_TYPE_WB, 49152, 64, 768, 12};
  level[1].cache[0] = (PAPI_mh_cache_info_t){
      PAPI_MH_TYPE_UNIFIED | PAPI_MH_TYPE_WB | PAPI_MH_TYPE_PSEUDO_LRU, 1048576, 64, 16384, 16};
  level[2].cache[0] = (PAPI_mh_cache_info_t){
      PAPI_MH_TYPE_UNIFIED | PAPI_MH_TYPE_FIFO, 335544320, 64, 5242880, 20};
}

EXPORTED const PAPI_hw_info_t* PAPI_get_hardware_info(void) {
  static PAPI_hw_info_t hardware;
  hardware.mem_hierarchy.levels = 3;
  FillTlbs(hardware.mem_hierarchy.level);
  FillCaches(hardware.mem_hierarchy.level);
  return &hardware;
}

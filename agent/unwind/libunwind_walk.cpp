#include <libunwind.h>

#include "agent/unwind/far_walk.h"

/// File: libagent-unwind.so: libunwind's remote interface over functions that ask the agent.
/// libunwind never looks for a library itself, so the loader's lock is never taken, and all memory
/// is read through the agent, so nothing faults. libunwind's caches are off: they are guarded by
/// locks, and the agent remembers whole chains.

extern "C" int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t*,
                                                  unw_proc_info_t*, int, void*);

namespace {

const CsinkUnwindRequest* RequestOf(void* arg) {
  return static_cast<const CsinkUnwindRequest*>(arg);
}

// libunwind's question for the rules of an address, answered by a search in the binary table of
// .eh_frame_hdr. table_len is in words of libunwind; an entry of the table has 8 bytes.
int FindProcInfo(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t* info, int need_unwind_info,
                 void* arg) {
  const CsinkUnwindRequest* request = RequestOf(arg);
  CsinkUnwindTables tables = {};
  if (!request->find(request->asker, ip, &tables)) return -UNW_ENOINFO;
  unw_dyn_info_t found = {};
  found.format = UNW_INFO_FORMAT_REMOTE_TABLE;
  found.start_ip = tables.start;
  found.end_ip = tables.end;
  found.u.rti.segbase = tables.header;
  found.u.rti.table_data = tables.table;
  found.u.rti.table_len = tables.entries * 8 / sizeof(unw_word_t);
  return UNW_OBJ(dwarf_search_unwind_table)(space, ip, &found, info, need_unwind_info, arg);
}

// Nothing was allocated in FindProcInfo.
void PutUnwindInfo(unw_addr_space_t, unw_proc_info_t*, void*) {}

int NoDynamicList(unw_addr_space_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

// Reads only: the stack of a sample is a copy.
int AccessMemory(unw_addr_space_t, unw_word_t address, unw_word_t* word, int write, void* arg) {
  if (write) return -UNW_EINVAL;
  const CsinkUnwindRequest* request = RequestOf(arg);
  uint64_t value = 0;
  if (!request->read(request->asker, address, &value)) return -UNW_EINVAL;
  *word = value;
  return 0;
}

int AccessRegister(unw_addr_space_t, unw_regnum_t number, unw_word_t* word, int write, void* arg) {
  const CsinkUnwindRequest* request = RequestOf(arg);
  if (write || number < 0 || static_cast<size_t>(number) >= request->register_count) {
    return -UNW_EBADREG;
  }
  *word = request->registers[number];
  return 0;
}

int NoFloat(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) { return -UNW_EBADREG; }
int NoResume(unw_addr_space_t, unw_cursor_t*, void*) { return -UNW_EINVAL; }
int NoName(unw_addr_space_t, unw_word_t, char*, size_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

unw_addr_space_t g_space;

}  // namespace

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" CSINK_EXPORT int csink_unwind_start(void) {
  if (g_space) return 1;
  // By name: libunwind 1.7 and later have more of them, which a walk does not call.
  static unw_accessors_t accessors;
  accessors.find_proc_info = FindProcInfo;
  accessors.put_unwind_info = PutUnwindInfo;
  accessors.get_dyn_info_list_addr = NoDynamicList;
  accessors.access_mem = AccessMemory;
  accessors.access_reg = AccessRegister;
  accessors.access_fpreg = NoFloat;
  accessors.resume = NoResume;
  accessors.get_proc_name = NoName;
  g_space = unw_create_addr_space(&accessors, 0);
  if (!g_space) return 0;
  unw_set_caching_policy(g_space, UNW_CACHE_NONE);
  // Its first cursor makes tables of its own; here and not in a handler.
  static const uint64_t nothing[64] = {};
  const CsinkUnwindRequest empty = {nullptr,
                                    nothing,
                                    64,
                                    [](void*, uint64_t, uint64_t*) { return 0; },
                                    [](void*, uint64_t, CsinkUnwindTables*) { return 0; },
                                    [](void*, uint64_t, int) { return 0; }};
  unw_cursor_t cursor;
  unw_init_remote(&cursor, g_space, const_cast<CsinkUnwindRequest*>(&empty));
  return 1;
}

extern "C" CSINK_EXPORT int csink_unwind_walk(const CsinkUnwindRequest* request) {
  unw_cursor_t cursor;
  if (unw_init_remote(&cursor, g_space, const_cast<CsinkUnwindRequest*>(request)) != 0) return 0;
  for (;;) {
    // Asked before the step: the step out of a signal frame leads to an interrupted instruction,
    // not to a return address.
    const bool handler_returns = unw_is_signal_frame(&cursor) > 0;
    const int stepped = unw_step(&cursor);
    if (stepped <= 0) return stepped == 0;
    unw_word_t ip = 0;
    if (unw_get_reg(&cursor, UNW_REG_IP, &ip) != 0 || ip == 0) return 1;
    if (!request->take(request->asker, ip, handler_returns)) return 0;
  }
}

#include "agent/process/lasting_objects.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>

// Weak: libagent.so needs libc alone, and the loader is there in any case.
#pragma weak _r_debug

/// File: _dl_find_object (glibc 2.35) finds the object of an address without a lock; the object's
/// place in the loader's list says whether it came with the program.

namespace csink::agent {
namespace {

const link_map* g_last_at_start = nullptr;

// For C libraries that cannot tell.
bool AnyMayGo(std::uint64_t /*pc*/) { return true; }

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // the header knows _dl_find_object
using FindObject = int(void*, dl_find_object*);
std::atomic<FindObject*> g_find_object{nullptr};

/// The loader's function; null: an older C library runs.
FindObject* LoadedFindObject() noexcept {
  FindObject* find = g_find_object.load(std::memory_order_relaxed);
  if (find) return find;
  find = reinterpret_cast<FindObject*>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  g_find_object.store(find, std::memory_order_relaxed);
  return find;
}

// The list of the loader's first namespace begins with the objects that came at the start, in
// order. Later objects are appended and removed behind them, so these entries can be read without a
// lock.
bool CameLater(std::uint64_t pc) {
  dl_find_object found = {};
  FindObject* find = g_find_object.load(std::memory_order_relaxed);
  if (find(reinterpret_cast<void*>(pc), &found) != 0)
    return false;  // no library: nothing unmaps it
  for (const link_map* map = _r_debug.r_map; map; map = map->l_next) {
    if (map == found.dlfo_link_map) return false;
    if (map == g_last_at_start) break;
  }
  return true;
}
#endif

}  // namespace

void RememberFirstObjects() noexcept {
  if (!&_r_debug) return;
  const link_map* map = _r_debug.r_map;
  while (map && map->l_next) map = map->l_next;
  g_last_at_start = map;
}

MayGo CodeThatMayGo() noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  return g_last_at_start && LoadedFindObject() ? CameLater : AnyMayGo;
#else
  return AnyMayGo;
#endif
}

const char* ObjectOfCode(std::uint64_t pc) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  FindObject* const find = LoadedFindObject();
  dl_find_object found = {};
  if (!find || find(reinterpret_cast<void*>(pc), &found) != 0) return nullptr;
  return found.dlfo_link_map->l_name;
#else
  static_cast<void>(pc);
  return nullptr;
#endif
}

}  // namespace csink::agent

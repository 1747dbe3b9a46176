#include "core/counting/components/sde/sde_library.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <type_traits>

#include "core/util/futex_lock.h"
#include "core/util/thread_id.h"

// The static libsde.a has pointers to these functions under these names, and Debian's libpapi.a has
// them as common symbols (nm): so the linker takes libsde's definitions where both archives are
// linked and libsde.a comes last. A weak reference would not make the linker include that member of
// the archive. Hidden: in our shared library they are null, and the loader must not search them.
#define CSINK_STATIC_SDE(function)                                   \
  asm(".hidden " #function "_ptr\n\t.comm " #function "_ptr, 8, 8"); \
  extern void* function##_ptr [[gnu::visibility("hidden")]]
extern "C" {
CSINK_STATIC_SDE(sde_ti_get_num_reg_events);
CSINK_STATIC_SDE(sde_ti_get_event_name);
CSINK_STATIC_SDE(sde_ti_get_event_description);
CSINK_STATIC_SDE(sde_ti_name_to_code);
CSINK_STATIC_SDE(sde_ti_read_counter);
CSINK_STATIC_SDE(sde_ti_reset_counter);
CSINK_STATIC_SDE(sde_ti_write_counter);
CSINK_STATIC_SDE(sde_ti_is_simple_counter);
CSINK_STATIC_SDE(sde_ti_set_counter_overflow);
CSINK_STATIC_SDE(sde_ti_is_counter_set_to_overflow);
}
#undef CSINK_STATIC_SDE

// File: functions are looked for in three places: linked from libsde.a, in the global scope, and in
// a libsde.so.1 that a library has loaded for itself. All must be there. The result is kept for the
// life of the process, and libsde with it.

namespace csink::sde {
namespace {

constexpr char kSoname[] = "libsde.so.1";

// Set once; nullptr: not found yet.
std::atomic<const Functions*> g_found{nullptr};
// libsde's address range; empty before libsde was found.
std::atomic<std::uintptr_t> g_begin{0}, g_end{0};

/// Finds a function: linked statically, in the global scope, or in a library loaded with a scope of
/// its own.
void* Symbol(const char* name, void* loaded, void* linked) noexcept {
  if (linked != nullptr) return linked;
  if (void* const symbol = dlsym(RTLD_DEFAULT, name)) return symbol;
  return loaded ? dlsym(loaded, name) : nullptr;
}

// Returns false if a function is missing. Another version of libsde may lack some.
bool FindAll(Functions& functions, void* loaded) noexcept {
  const auto find = [loaded](auto& function, const char* name, void* linked) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(Symbol(name, loaded, linked));
    return function != nullptr;
  };
#define CSINK_SDE(member, function) find(functions.member, #function, function##_ptr)
  return CSINK_SDE(event_count, sde_ti_get_num_reg_events) &&
         CSINK_SDE(name, sde_ti_get_event_name) &&
         CSINK_SDE(description, sde_ti_get_event_description) &&
         CSINK_SDE(number_of, sde_ti_name_to_code) && CSINK_SDE(read, sde_ti_read_counter) &&
         CSINK_SDE(reset, sde_ti_reset_counter) && CSINK_SDE(write, sde_ti_write_counter) &&
         CSINK_SDE(is_simple, sde_ti_is_simple_counter) &&
         CSINK_SDE(set_overflow, sde_ti_set_counter_overflow) &&
         CSINK_SDE(is_set_to_overflow, sde_ti_is_counter_set_to_overflow);
#undef CSINK_SDE
}

/// Finds the object that contains the address to which `arg` points, and stores its range.
int FindRange(dl_phdr_info* object, std::size_t, void* arg) noexcept {
  const std::uintptr_t address = *static_cast<const std::uintptr_t*>(arg);
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  bool holds = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    // One range from the first to the last segment.
    const std::uintptr_t from = object->dlpi_addr + segment.p_vaddr, to = from + segment.p_memsz;
    begin = from < begin ? from : begin;
    end = to > end ? to : end;
    holds |= address >= from && address < to;
  }
  if (!holds) return 0;
  g_begin.store(begin, std::memory_order_relaxed);
  g_end.store(end, std::memory_order_relaxed);
  return 1;
}

/// Keeps libsde loaded: events keep their numbers for the life of the process. Also notes libsde's
/// address range.
void Keep(const Functions& functions) noexcept {
  Dl_info library = {};
  if (dladdr(reinterpret_cast<void*>(functions.read), &library) == 0) return;
  auto address = reinterpret_cast<std::uintptr_t>(functions.read);
  dl_iterate_phdr(FindRange, &address);
  (void)dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

const Functions* Find() noexcept {
  if (const Functions* found = g_found.load(std::memory_order_acquire)) return found;
  // Constant initialisation: no guard, which a signal handler could find locked.
  static constinit Functions functions;
  static constinit FutexLock lock;
  Functions fresh;
  // RTLD_NOLOAD: only a libsde that is there already.
  void* const loaded = dlopen(kSoname, RTLD_LAZY | RTLD_NOLOAD);
  if (FindAll(fresh, loaded)) {
    Keep(fresh);
    const FutexHolding held(lock, AskTid());
    // Two threads may have found the functions; the first one stores them.
    if (held.held() && g_found.load(std::memory_order_relaxed) == nullptr) {
      functions = fresh;
      g_found.store(&functions, std::memory_order_release);
    }
  }
  // Keep has made libsde stay.
  if (loaded) dlclose(loaded);
  (void)dlerror();  // clears our failures, which the program must not see
  return g_found.load(std::memory_order_acquire);
}

bool IsInside(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= g_begin.load(std::memory_order_relaxed) &&
         at < g_end.load(std::memory_order_relaxed);
}

}  // namespace csink::sde

#include "compat/papi/abi7/caller_abi.h"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <string_view>

/// File: the version of PAPI that a caller was linked with. dl_iterate_phdr finds the module whose
/// segments contain the return address; the DT_NEEDED entries of its dynamic section name the
/// libraries that it was linked with.

namespace csink::papi {
namespace {

std::atomic<bool> g_other_abis{false};

/// The version of a library name; 0: not a libpapi.so.7.x.
int AbiOfLibrary(std::string_view name) noexcept {
  if (name == "libpapi.so.7.0") return 70;
  if (name == "libpapi.so.7.1") return 71;
  if (name == "libpapi.so.7.2") return 72;
  if (name == "libpapi.so.7.3") return 73;
  return 0;
}

struct Search {
  std::uintptr_t address;
  int abi = 0;  ///< 0: nothing found, or several versions
};

/// The string table of a module. On x86-64 and aarch64 glibc's loader replaces d_ptr by the
/// address; other loaders leave the offset, which is smaller than the module's base.
const char* StringsOf(const ElfW(Dyn) * dynamic, std::uintptr_t base) noexcept {
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag != DT_STRTAB) continue;
    const std::uintptr_t address = dynamic->d_un.d_ptr;
    return reinterpret_cast<const char*>(address < base ? base + address : address);
  }
  return nullptr;
}

/// The version of a module by its dynamic section; 0: it needs no libpapi.so.7.x, or has no
/// strings. -1: it needs several versions, so that its functions do not tell which was meant.
int AbiOfDynamic(const ElfW(Dyn) * dynamic, std::uintptr_t base) noexcept {
  const char* const strings = StringsOf(dynamic, base);
  if (strings == nullptr) return 0;
  int needed = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag != DT_SONAME && dynamic->d_tag != DT_NEEDED) continue;
    const int abi = AbiOfLibrary(strings + dynamic->d_un.d_val);
    if (abi == 0) continue;
    // The caller is an ABI library itself: its own version counts, whatever it needs.
    if (dynamic->d_tag == DT_SONAME) return abi;
    needed = needed == 0 || needed == abi ? abi : -1;  // -1: needs several versions
  }
  return needed;
}

/// Unsigned arithmetic: addresses below the segment become large and fail the comparison, too.
bool Contains(const dl_phdr_info& module, std::uintptr_t address) noexcept {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD &&
        address - (module.dlpi_addr + segment.p_vaddr) < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

/// Called by dl_iterate_phdr for each module; the 1 ends the walk at the module that contains the
/// address. A module without a dynamic section (a static program) leaves abi 0.
int LookAt(dl_phdr_info* module, std::size_t, void* data) noexcept {
  Search& search = *static_cast<Search*>(data);
  if (!Contains(*module, search.address)) return 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::uintptr_t dynamic = module->dlpi_addr + segment.p_vaddr;
    search.abi = AbiOfDynamic(reinterpret_cast<const ElfW(Dyn)*>(dynamic), module->dlpi_addr);
  }
  return 1;
}

}  // namespace

void AbiLoaded(Abi abi) noexcept {
  if (abi != Abi::k70) g_other_abis.store(true, std::memory_order_release);
}

Abi AbiOfCaller(const void* caller, Abi entered) noexcept {
  if (!g_other_abis.load(std::memory_order_acquire)) return entered;
  Search search{reinterpret_cast<std::uintptr_t>(caller)};
  dl_iterate_phdr(LookAt, &search);
  return search.abi > 0 ? static_cast<Abi>(search.abi) : entered;
}

}  // namespace csink::papi

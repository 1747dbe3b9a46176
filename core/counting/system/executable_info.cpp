#include "core/counting/system/executable_info.h"

#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "core/machine/maps.h"

// File: the loader's list has addresses and segments of all modules, the kernel's list of mappings
// their full paths. They are joined by the address of the code.

namespace csink {
namespace {

// Extends [start, end), where start == end means empty, so that it covers [from, to).
void Widen(std::uint64_t& start, std::uint64_t& end, std::uint64_t from, std::uint64_t to) {
  if (from >= to) return;
  if (start == end) {
    start = from;
    end = to;
  } else {
    start = std::min(start, from);
    end = std::max(end, to);
  }
}

// The bounds from the program headers (ELF, PT_LOAD), in the addresses of this process.
ModuleBounds BoundsOf(const dl_phdr_info& info) {
  ModuleBounds module;
  // For a library, the name by which it was found; "" for the program itself.
  module.path = info.dlpi_name ? info.dlpi_name : "";
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t start = info.dlpi_addr + segment.p_vaddr;
    const std::uint64_t filled = start + segment.p_filesz;
    if (segment.p_flags & PF_X) Widen(module.text_start, module.text_end, start, filled);
    if (!(segment.p_flags & PF_W)) continue;
    // The part of a segment that the file fills is data, the rest up to p_memsz is zero: .bss.
    Widen(module.data_start, module.data_end, start, filled);
    Widen(module.bss_start, module.bss_end, filled, start + segment.p_memsz);
  }
  return module;
}

// Whether a segment of the module covers `address`.
bool Holds(const dl_phdr_info& info, std::uint64_t address) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const std::uint64_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - start < segment.p_memsz) return true;
  }
  return false;
}

int AddModule(dl_phdr_info* info, std::size_t, void* arg) {
  // The loader lists the vdso like a library, but no file belongs to it.
  const unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
  if (vdso == 0 || !Holds(*info, vdso)) {
    static_cast<std::vector<ModuleBounds>*>(arg)->push_back(BoundsOf(*info));
  }
  return 0;
}

// Replaces the loader's name of a library by the kernel's. The loader stores the name that was
// asked for, which may be relative or a symbolic link.
bool NameModule(const MapsLine& line, void* arg) noexcept {
  if (!line.path.starts_with('/')) return true;
  for (ModuleBounds& module : *static_cast<std::vector<ModuleBounds>*>(arg)) {
    if (module.text_start >= line.start && module.text_start < line.end) module.path = line.path;
  }
  return true;
}

}  // namespace

std::string ExecutablePath() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

std::vector<ModuleBounds> ReadModules() {
  std::vector<ModuleBounds> modules;
  dl_iterate_phdr(AddModule, &modules);
  if (modules.empty()) return modules;
  const std::string program = ExecutablePath();
  // Without /proc the loader's names are kept.
  // Once for all modules: the kernel writes the whole list for each reader.
  static_cast<void>(ForEachMapping("/proc/thread-self/maps", NameModule, &modules).has_value());
  // The loader's first entry is the program, with an empty name.
  if (!program.empty()) modules.front().path = program;
  return modules;
}

}  // namespace csink

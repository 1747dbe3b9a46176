#include <sys/utsname.h>

#include <fstream>
#include <optional>
#include <vector>

#include "core/util/parse.h"
#include "symbolizer/names/elf/build_id.h"
#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/elf/symbol_table.h"
#include "symbolizer/names/kernel/file.h"
#include "symbolizer/names/kernel/kernel.h"
#include "symbolizer/names/locate/debug_file.h"

/// File: kernel addresses are converted to file offsets of a vmlinux, and these are resolved like
/// those of any program. KASLR moves the whole image by one distance, which the address of one
/// symbol shows: _stext, the start of the kernel's text. Three things must be there: a vmlinux with
/// the running build id, its symbol table, and a kallsyms that shows addresses.

namespace csink::symbolizer {
namespace {

/// A symbol of every architecture (include/asm-generic/sections.h).
constexpr std::string_view kAnchor = "_stext";

/// The address of _stext in the running kernel. nullopt: kallsyms hides addresses.
std::optional<std::uint64_t> AnchorInMemory(const std::string& list) {
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    std::string_view rest = line;
    const auto address = ParseHex(NextToken(rest, ' '));
    NextToken(rest, ' ');
    if (rest != kAnchor) continue;
    return address && *address != 0 ? std::optional(*address) : std::nullopt;
  }
  return std::nullopt;
}

/// The value of _stext in the file's symbol table; nullopt: the file has none.
std::optional<std::uint64_t> AnchorInFile(const ElfFile& file) {
  for (const Elf64_Shdr& table : file.sections()) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= file.sections().size()) continue;
    const Buffer names = file.ReadSection(table.sh_link);
    // The whole table, once for a report.
    std::vector<Elf64_Sym> symbols(file.SymbolCount(table));
    if (!file.ReadSymbols(table, 0, symbols)) return std::nullopt;
    for (const Elf64_Sym& symbol : symbols) {
      if (TextAt(names.bytes(), symbol.st_name) == kAnchor) return symbol.st_value;
    }
  }
  return std::nullopt;
}

/// The vmlinux of the running kernel. The order: packages of distributions, the build folder of a
/// kernel that was built here, and /boot.
std::optional<KernelFile> FindImage(const Options& options) {
  const auto build_id = ReadBuildId(options.root + "/sys/kernel/notes");
  utsname machine = {};
  if (build_id.empty() || ::uname(&machine) != 0) return std::nullopt;
  const std::string release = machine.release;
  const std::string folder = kDebugFolder;
  const std::string paths[] = {folder + "/boot/vmlinux-" + release,
                               folder + "/lib/modules/" + release + "/vmlinux",
                               BuildIdPath(build_id), "/lib/modules/" + release + "/build/vmlinux",
                               "/boot/vmlinux-" + release};
  return FindKernelFile(paths, build_id, options);
}

/// The file offset of code at `vaddr`, which is how a ModuleRequest names code.
std::optional<std::uint64_t> OffsetOf(const ElfFile& file, std::uint64_t vaddr) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && vaddr >= segment.p_vaddr &&
        vaddr - segment.p_vaddr < segment.p_filesz) {
      return vaddr - segment.p_vaddr + segment.p_offset;
    }
  }
  return std::nullopt;
}

}  // namespace

void AddKernelLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                    ModuleAnswer& answer) {
  if (!request.is_running_kernel || request.detail < Detail::kLines || !answer.problem.empty()) {
    return;
  }
  const auto image = FindImage(options);
  if (!image) return;
  const auto in_memory = AnchorInMemory(options.root + "/proc/kallsyms");
  const auto in_file = AnchorInFile(image->elf);
  if (!in_memory || !in_file) return;
  KernelPlaces wanted;
  for (std::size_t i = 0; i < request.file_offsets.size(); ++i) {
    // An address outside the image is that of a module; OffsetOf finds no segment for it.
    const std::uint64_t vaddr = request.file_offsets[i] - *in_memory + *in_file;
    if (const auto offset = OffsetOf(image->elf, vaddr)) wanted[*offset] = i;
  }
  AddLinesOf(*image, wanted, request, options, resolve, answer);
  answer.debug_file = image->path;
}

}  // namespace csink::symbolizer

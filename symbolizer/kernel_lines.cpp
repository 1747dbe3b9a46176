#include "symbolizer/kernel_lines.h"

#include <sys/utsname.h>

#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "core/util/parse.h"
#include "symbolizer/debug_file.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/kernel_notes.h"
#include "symbolizer/symbol_table.h"

namespace csink::symbolizer {
namespace {

constexpr std::string_view kAnchor = "_stext";

/// Where the running kernel has its text; nothing where the list hides it.
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

std::optional<std::uint64_t> AnchorInFile(const ElfFile& file) {
  for (const Elf64_Shdr& table : file.sections()) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= file.sections().size()) continue;
    const Buffer names = file.ReadSection(table.sh_link);
    std::vector<Elf64_Sym> symbols(file.SymbolCount(table));
    if (!file.ReadSymbols(table, 0, symbols)) return std::nullopt;
    for (const Elf64_Sym& symbol : symbols) {
      if (TextAt(names.bytes(), symbol.st_name) == kAnchor) return symbol.st_value;
    }
  }
  return std::nullopt;
}

struct Image {
  std::string path;  ///< Without the root
  std::string root;  ///< That goes before it
  ElfFile elf;
};

std::optional<Image> OpenImage(const Options& options, const std::vector<std::uint8_t>& build_id) {
  utsname machine = {};
  if (build_id.empty() || ::uname(&machine) != 0) return std::nullopt;
  const std::string release = machine.release;
  const auto open = [&](const std::string& root, const std::string& path) -> std::optional<Image> {
    auto object = ObjectBytes::Open(root + path);
    if (!object) return std::nullopt;
    auto elf = ElfFile::Read(std::move(*object));
    if (!elf || elf->BuildId() != build_id || !elf->HasDebugSection("line")) return std::nullopt;
    return Image{path, root, std::move(*elf)};
  };
  const std::string folder = kDebugFolder;
  for (const std::string& path :
       {folder + "/boot/vmlinux-" + release, folder + "/lib/modules/" + release + "/vmlinux",
        BuildIdPath(build_id), "/lib/modules/" + release + "/build/vmlinux",
        "/boot/vmlinux-" + release}) {
    if (auto image = open(options.root, path)) return image;
  }
  if (!options.fetch) return std::nullopt;
  const std::string fetched = options.fetch(build_id, FetchKind::kDebugInfo);
  return fetched.empty() ? std::nullopt : open("", fetched);
}

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

void AddKernelLines(const ModuleRequest& request, const Options& options, ModuleAnswer& answer) {
  if (!request.is_running_kernel || request.detail < Detail::kLines || !answer.problem.empty()) {
    return;
  }
  const auto image = OpenImage(options, BuildIdInNotes(options.root + "/sys/kernel/notes"));
  if (!image) return;
  const auto in_memory = AnchorInMemory(options.root + "/proc/kallsyms");
  const auto in_file = AnchorInFile(image->elf);
  if (!in_memory || !in_file) return;
  std::map<std::uint64_t, std::size_t> wanted;  // by offset: as a request wants them
  for (std::size_t i = 0; i < request.file_offsets.size(); ++i) {
    const std::uint64_t vaddr = request.file_offsets[i] - *in_memory + *in_file;
    if (const auto offset = OffsetOf(image->elf, vaddr)) wanted[*offset] = i;
  }
  ModuleRequest in_image;
  in_image.path = image->path;
  in_image.build_id = image->elf.BuildId();
  in_image.detail = request.detail;
  for (const auto& [offset, i] : wanted) in_image.file_offsets.push_back(offset);
  Options here = options;
  here.root = image->root;
  ModuleAnswer found = ResolveModule(in_image, here);
  std::size_t next = 0;
  for (const auto& [offset, i] : wanted) {
    Location& from = found.locations[next++];
    answer.locations[i].file = std::move(from.file);
    answer.locations[i].line = from.line;
    answer.locations[i].inlined = std::move(from.inlined);
  }
  answer.has_lines = found.has_lines;
  answer.debug_file = image->path;
}

}  // namespace csink::symbolizer

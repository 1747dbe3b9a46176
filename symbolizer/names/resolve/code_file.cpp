#include "symbolizer/names/resolve/code_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "symbolizer/names/elf/plt_stubs.h"
#include "symbolizer/names/elf/symbol_table.h"
#include "symbolizer/names/elf/unwind_bounds.h"
#include "symbolizer/names/lines/compilation_folders.h"
#include "symbolizer/names/lines/table.h"
#include "symbolizer/names/locate/debug_file.h"
#include "symbolizer/names/locate/module_file.h"

namespace csink::symbolizer {
namespace {

/// Stubs have no symbol with a size; 16 bytes is the usual size of an entry.
constexpr std::uint64_t kStubBytes = 16;

/// Whether there is a .symtab with more than the reserved symbol 0.
bool HasStaticTable(const ElfFile& file) {
  return std::any_of(file.sections().begin(), file.sections().end(), [](const Elf64_Shdr& s) {
    return s.sh_type == SHT_SYMTAB && s.sh_size > sizeof(Elf64_Sym);
  });
}

/// The end of the section of code that contains `vaddr`; 0: there is none.
std::uint64_t EndOfSection(const ElfFile& file, std::uint64_t vaddr) {
  for (const Elf64_Shdr& section : file.sections()) {
    if ((section.sh_flags & SHF_EXECINSTR) == 0 || vaddr < section.sh_addr) continue;
    if (vaddr - section.sh_addr < section.sh_size) return section.sh_addr + section.sh_size;
  }
  return 0;
}

/// A file of a line table that may be the wanted one, and what the table says about it.
struct LineFileFacts {
  std::string path;
  SourceFacts facts;
};

/// The facts of the file whose path, joined with the folder of its compilation, is `source`.
/// `relative` has the candidates by the offset of their line table.
SourceFacts FactsOfRelative(const ElfFile& lines,
                            const std::multimap<std::uint64_t, LineFileFacts>& relative,
                            const std::string& source) {
  std::set<std::uint64_t> wanted;
  for (const auto& [offset, file] : relative) wanted.insert(offset);
  if (wanted.empty()) return {};
  const FoldersByLines folders = CompilationFolders(lines, nullptr, {}, std::move(wanted));
  for (const auto& [offset, file] : relative) {
    const auto folder = folders.find(offset);
    if (folder != folders.end() && JoinPath(folder->second, file.path) == source) return file.facts;
  }
  return {};
}

}  // namespace

CodeFile CodeFile::Open(const ModuleRequest& request, const Options& options) {
  CodeFile code;
  if (request.is_anonymous) {
    code.problem_ = "code without a file";
    return code;
  }
  ModuleFile module = OpenModule(request, options);
  if (!module.elf) {
    code.problem_ = module.problem.empty() ? "cannot be read" : std::move(module.problem);
    return code;
  }
  code.file_ = std::move(module.elf);
  struct stat status = {};
  if (!request.is_vdso && ::stat((options.root + request.path).c_str(), &status) == 0) {
    code.changed_ = status.st_mtime;
  }
  // The file has everything; the search for a debug file would cost several system calls.
  if (HasStaticTable(*code.file_) && code.file_->HasDebugSection("line")) return code;
  if (auto debug = FindDebugFile(*code.file_, request.path, options.root, options.fetch)) {
    code.debug_ = std::move(debug->elf);
  } else if (!HasStaticTable(*code.file_)) {
    code.debug_ = ReadMiniDebugInfo(*code.file_);
  }
  return code;
}

std::uint64_t CodeFile::EndOf(std::uint64_t start) const {
  const std::array<std::uint64_t, 1> vaddrs{start};
  SymbolMatcher matcher(vaddrs);
  matcher.Add(*file_, SymbolMatcher::Table::kDynamic);
  matcher.Add(*file_, SymbolMatcher::Table::kStatic);
  if (debug_) matcher.Add(*debug_, SymbolMatcher::Table::kStatic);
  const auto symbol = matcher.Match().at(0);
  // From the most to the least reliable source. A symbol without a size does not say where it ends.
  if (symbol && symbol->is_sized) return symbol->end;
  if (MatchPltStubs(*file_, debug_ ? &*debug_ : &*file_, vaddrs).at(0)) {
    return std::min(start + kStubBytes, EndOfSection(*file_, start));
  }
  const auto range = MatchUnwindEntries(*file_, vaddrs).at(0);
  if (range && range->end > start) return range->end;
  return start;
}

FunctionCode CodeFile::Function(std::uint64_t start) const {
  FunctionCode code;
  code.start = code.end = start;
  if (!file_) {
    code.problem = problem_;
    return code;
  }
  // Damaged symbols may end before they begin.
  code.end = std::max(start, EndOf(start));
  if (code.end == start) {
    code.problem = "the end of the function is not known";
    return code;
  }
  const std::uint64_t size = std::min(code.end - start, kMostCodeBytes);
  code.bytes = file_->ReadVaddr(start, size);
  if (code.bytes.size() == 0) {
    code.problem = "the file is truncated and does not contain the whole function";
  } else if (size < code.end - start) {
    code.problem = "only the first " + std::to_string(size >> 20) + " MiB of it are shown";
  }
  return code;
}

std::optional<std::uint64_t> CodeFile::OffsetOf(std::uint64_t vaddr) const {
  if (!file_) return std::nullopt;
  for (const Elf64_Phdr& segment : file_->segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (vaddr < segment.p_vaddr || vaddr - segment.p_vaddr >= segment.p_filesz) continue;
    return segment.p_offset + (vaddr - segment.p_vaddr);
  }
  return std::nullopt;
}

// Reads all headers of the section, because a path does not tell in which unit its file occurs. No
// line program is run.
std::vector<Producer> CodeFile::Producers() const {
  if (!file_) return {};
  return ProducersOf(file_->HasDebugSection("info") || !debug_ ? *file_ : *debug_);
}

SourceFacts CodeFile::FactsOf(const std::string& source) const {
  if (!file_) return {};
  // The file's own line table, else that of its debug file; without both, one without units.
  const ElfFile& lines = file_->HasDebugSection("line") || !debug_ ? *file_ : *debug_;
  const Buffer line = lines.ReadDebugSection("line");
  const Buffer text = lines.ReadDebugSection("line_str");
  const LineSections sections{line.bytes(), text.bytes(), {}};
  std::multimap<std::uint64_t, LineFileFacts> relative;  // by line table
  ByteReader section(line.bytes());
  while (!section.AtEnd()) {
    const std::uint64_t offset = section.offset();
    LineHeader header;
    if (!header.Read(section)) continue;
    const LineFiles files(header, sections, {});
    for (std::size_t i = 0; i < files.count(); ++i) {
      if (!files.Facts(i).IsAny()) continue;
      std::string path = files.Path(i);
      if (path == source) return files.Facts(i);
      // Before DWARF 5 the path may lack the folder of the compilation. Finding that folder is
      // expensive, so these candidates are joined with it only if no path is equal.
      const bool is_end = header.version < 5 && !path.empty() && source.ends_with("/" + path);
      if (is_end) relative.emplace(offset, LineFileFacts{std::move(path), files.Facts(i)});
    }
  }
  return FactsOfRelative(lines, relative, source);
}

}  // namespace csink::symbolizer

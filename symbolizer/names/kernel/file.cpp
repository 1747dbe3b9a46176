#include "symbolizer/names/kernel/file.h"

#include <utility>

#include "symbolizer/names/elf/linked_object.h"

/// File: candidates are compared by build id, never by release or version: a rebuilt kernel has the
/// same release, and its lines would be wrong.

namespace csink::symbolizer {
namespace {

/// Opens one candidate. A file without lines is of no use here: names come from kallsyms.
std::optional<KernelFile> Open(const std::string& root, const std::string& path,
                               const std::vector<std::uint8_t>& build_id) {
  auto object = ObjectBytes::Open(root + path);
  if (!object) return std::nullopt;
  auto elf = ElfFile::Read(std::move(*object));
  if (!elf || elf->BuildId() != build_id || !elf->HasDebugSection("line")) return std::nullopt;
  auto linked = LinkObject(std::move(*elf));
  if (!linked) return std::nullopt;
  return KernelFile{path, root, std::move(*linked)};
}

}  // namespace

std::optional<KernelFile> FindKernelFile(std::span<const std::string> paths,
                                         const std::vector<std::uint8_t>& build_id,
                                         const Options& options) {
  for (const std::string& path : paths) {
    if (auto file = Open(options.root, path, build_id)) return file;
  }
  if (!options.fetch) return std::nullopt;
  // Last, because it may take long. The server is not trusted: Open compares the build id.
  const std::string fetched = options.fetch(build_id, FetchKind::kDebugInfo);
  return fetched.empty() ? std::nullopt : Open("", fetched, build_id);
}

void AddLinesOf(const KernelFile& file, const KernelPlaces& places, const ModuleRequest& request,
                const Options& options, ResolveFile resolve, ModuleAnswer& answer) {
  // The file is resolved like any other module, so that symbols, lines and inlined functions need
  // no code of their own here. The names stay those of kallsyms.
  ModuleRequest in_file;
  in_file.path = file.path;
  in_file.build_id = file.elf.BuildId();
  in_file.detail = request.detail;
  for (const auto& [place, i] : places) in_file.file_offsets.push_back(place);
  Options here = options;
  here.root = file.root;
  ModuleAnswer found = resolve(in_file, here);
  std::size_t next = 0;
  for (const auto& [place, i] : places) {
    Location& from = found.locations[next++];
    answer.locations[i].file = std::move(from.file);
    answer.locations[i].line = from.line;
    answer.locations[i].inlined = std::move(from.inlined);
  }
  answer.has_lines = answer.has_lines || found.has_lines;
}

}  // namespace csink::symbolizer

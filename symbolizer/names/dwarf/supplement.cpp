#include "symbolizer/names/dwarf/supplement.h"

#include "symbolizer/names/locate/debug_file.h"

/// File: two sections say the same in two formats, dwz's own and that of DWARF 5. If a file has
/// both, dwz's own is read.

namespace csink::symbolizer {
namespace {

/// The contents of .debug_sup (DWARF 5, 7.3.6).
struct Sup {
  bool is_supplementary = false;
  std::string name;
  std::vector<std::uint8_t> checksum;
};

/// The section of a module or of a supplementary file; nullopt: there is none, another version than
/// 5, or no checksum, without which the file cannot be recognised.
std::optional<Sup> ReadSup(const ElfFile& elf) {
  const Buffer bytes = elf.ReadDebugSection("sup");
  ByteReader reader(bytes.bytes());
  Sup sup;
  if (reader.U16() != 5) return std::nullopt;
  sup.is_supplementary = reader.U8() != 0;
  sup.name = reader.Text();
  const Bytes checksum = reader.Take(reader.Uleb());
  if (!reader.ok() || checksum.empty()) return std::nullopt;
  sup.checksum.assign(checksum.begin(), checksum.end());
  return sup;
}

}  // namespace

std::optional<SupplementLink> ReadSupplementLink(const ElfFile& elf) {
  // dwz writes this section, unless it is told to write .debug_sup (--dwarf-5).
  if (const auto section = elf.FindSection(".gnu_debugaltlink")) {
    const Buffer bytes = elf.ReadSection(*section);
    ByteReader reader(bytes.bytes());
    SupplementLink link;
    link.name = reader.Text();
    const Bytes id = reader.Take(reader.left());
    link.id.assign(id.begin(), id.end());
    if (reader.ok() && !link.name.empty() && !link.id.empty()) return link;
  }
  auto sup = ReadSup(elf);
  if (!sup || sup->is_supplementary || sup->name.empty()) return std::nullopt;
  return SupplementLink{std::move(sup->name), std::move(sup->checksum), true};
}

std::vector<std::string> SupplementPaths(const SupplementLink& link, const std::string& path,
                                         const std::string& real_path) {
  std::vector<std::string> paths;
  if (link.name.front() == '/') {
    paths.push_back(link.name);
  } else {
    paths.push_back(FolderWithSlash(path) + link.name);
    if (real_path != path) paths.push_back(FolderWithSlash(real_path) + link.name);
  }
  const std::string base = link.name.substr(FolderWithSlash(link.name).size());
  // Where distributions put these files, with or without a folder for the architecture.
  paths.push_back(std::string(kDebugFolder) + "/.dwz/" + base);
  // Debian has a folder for each architecture.
  paths.push_back(std::string(kDebugFolder) + "/.dwz/x86_64-linux-gnu/" + base);
  paths.push_back(std::string(kDebugFolder) + "/.dwz/aarch64-linux-gnu/" + base);
  if (!link.is_dwarf5) {
    if (auto by_id = BuildIdPath(link.id); !by_id.empty()) paths.push_back(std::move(by_id));
  }
  return paths;
}

bool IsSupplement(const ElfFile& file, const SupplementLink& link) {
  if (!link.is_dwarf5) return file.BuildId() == link.id;
  const auto sup = ReadSup(file);
  return sup && sup->is_supplementary && sup->checksum == link.id;
}

}  // namespace csink::symbolizer

#include "symbolizer/names/dwarf/files.h"

#include <stdlib.h>

#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "symbolizer/names/dwarf/supplement.h"
#include "symbolizer/names/locate/debug_file.h"

/// File: builds lists of paths where a file may be, opens them in order of likelihood, and takes
/// the first one that passes the checks. Results are kept, found or not: a program may have
/// thousands of split units, and the search for each asks for several paths.

namespace csink::symbolizer {
namespace {

/// DW_UT_split_compile. The header (DWARF 5, 7.5.1.2): unit_length, version, unit_type,
/// address_size, debug_abbrev_offset, dwo_id.
constexpr std::uint8_t kSplitCompile = 5;
/// Number of .dwo files that stay open: the units of one file are usually requested in a row.
constexpr std::size_t kKeptOpen = 8;
/// Number of missing paths that are remembered. A limit, because the names come from the file.
constexpr std::size_t kMaxMissing = 1 << 16;

using Shared = std::shared_ptr<const ElfFile>;

std::string BaseOf(const std::string& path) { return path.substr(FolderWithSlash(path).size()); }

/// Returns false if all split units of the file are DWARF 5 and have other ids: a stale .dwo of an
/// earlier compilation, or another file with the same base name. A DWARF 4 unit has its id in an
/// attribute, which the reader of DIEs checks.
bool MayHoldUnit(const ElfFile& file, std::uint64_t id) {
  const Buffer info = file.ReadDebugSection("info.dwo");
  if (info.size() == 0) return false;
  bool others = false;
  for (std::uint64_t offset = 0; offset < info.size();) {
    ByteReader reader(Part(info.bytes(), offset, info.size()));
    std::uint64_t length = reader.U32();
    const std::size_t word = length == 0xffffffff ? 8 : 4;
    if (word == 8) length = reader.U64();
    const std::uint64_t next = offset + reader.offset() + length;
    if (!reader.ok() || length > reader.left() || length == 0) break;
    // Before DWARF 5 the id is an attribute of the root DIE.
    if (reader.U16() < 5) return true;
    const std::uint8_t type = reader.U8();
    reader.U8();
    reader.Unsigned(word);
    if (type == kSplitCompile) {
      if (reader.U64() == id) return true;
      others = true;
    }
    offset = next;
  }
  return !others;
}

/// Finds the files beside the module, where the compiler wrote them, and where distributions
/// install them.
class FilesOnDisk : public DebugFiles {
 public:
  FilesOnDisk(const ElfFile& elf, std::string path, std::string module_path, std::string root)
      : elf_(elf),
        path_(std::move(path)),
        module_path_(std::move(module_path)),
        root_(std::move(root)) {}

  Shared Alternate() override {
    if (!alternate_) alternate_ = FindAlternate();
    return *alternate_;
  }

  Shared Package() override {
    if (package_) return *package_;
    package_ = Shared();
    for (const std::string& path :
         {module_path_ + ".dwp", path_ + ".dwp", kDebugFolder + module_path_ + ".dwp",
          RealPath(module_path_) + ".dwp", RealPath(path_) + ".dwp"}) {
      Shared file = Open(path);
      if (file == nullptr || !HasUnitIndex(*file)) continue;
      package_ = std::move(file);
      break;
    }
    return *package_;
  }

  Shared Split(const SplitName& unit) override {
    if (unit.name.empty()) return nullptr;
    // Both the name as written (it may contain folders) and its last part are tried beside the
    // program.
    std::vector<std::string> places;
    const auto add_folder = [&](const std::string& folder) {
      places.push_back(folder + unit.name);
      places.push_back(folder + BaseOf(unit.name));
    };
    // First the place where the compiler wrote the file. Files that were moved usually lie beside
    // the program.
    if (unit.name.front() == '/') {
      places.push_back(unit.name);
    } else if (!unit.folder.empty()) {
      places.push_back(unit.folder + "/" + unit.name);
    }
    add_folder(FolderWithSlash(module_path_));
    add_folder(FolderWithSlash(path_));
    for (const std::string& place : places) {
      if (Shared file = OpenSplit(place); file && MayHoldUnit(*file, unit.id)) return file;
    }
    return nullptr;
  }

 private:
  static bool HasUnitIndex(const ElfFile& file) { return file.HasDebugSection("cu_index"); }

  Shared FindAlternate() const {
    const auto link = ReadSupplementLink(elf_);
    if (!link) return nullptr;
    for (const std::string& path : SupplementPaths(*link, path_, RealPath(path_))) {
      Shared file = Open(path);
      if (file && IsSupplement(*file, *link)) return file;
    }
    return nullptr;
  }

  // Resolves symbolic links: relative names in a debug file are relative to its real folder. The
  // path itself if it cannot be resolved or leads out of `root_`.
  std::string RealPath(const std::string& path) const {
    char* real = ::realpath((root_ + path).c_str(), nullptr);
    if (real == nullptr) return path;
    std::string text(real);
    std::free(real);
    if (!text.starts_with(root_)) return path;
    return text.substr(root_.size());
  }

  // Opens a file of the same class and machine as the module; else null.
  Shared Open(const std::string& path) const {
    auto object = ObjectBytes::Open(root_ + path);
    if (!object) return nullptr;
    auto elf = ElfFile::Read(std::move(*object));
    if (!elf || elf->is_64() != elf_.is_64()) return nullptr;
    // Some packagers write EM_NONE into supplementary files.
    if (elf->machine() != elf_.machine() && elf->machine() != EM_NONE) return nullptr;
    return std::make_shared<const ElfFile>(std::move(*elf));
  }

  // As Open, with the last files and the missing paths remembered.
  Shared OpenSplit(const std::string& path) {
    for (const auto& [name, file] : open_) {
      if (name == path) return file;
    }
    if (missing_.contains(path)) return nullptr;
    Shared file = Open(path);
    if (file == nullptr) {
      if (missing_.size() < kMaxMissing) missing_.insert(path);
      return nullptr;
    }
    if (open_.size() == kKeptOpen) open_.pop_front();
    open_.emplace_back(path, file);
    return file;
  }

  const ElfFile& elf_;
  std::string path_;
  std::string module_path_;
  std::string root_;
  std::optional<Shared> alternate_;
  std::optional<Shared> package_;
  std::deque<std::pair<std::string, Shared>> open_;
  std::set<std::string> missing_;
};

}  // namespace

std::unique_ptr<DebugFiles> MakeDebugFiles(const ElfFile& elf, const std::string& path,
                                           const std::string& module_path,
                                           const std::string& root) {
  return std::make_unique<FilesOnDisk>(elf, path, module_path, root);
}

}  // namespace csink::symbolizer

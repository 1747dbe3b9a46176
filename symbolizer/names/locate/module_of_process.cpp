#include "symbolizer/names/locate/module_of_process.h"

#include <dirent.h>
#include <unistd.h>

#include <memory>

#include "symbolizer/names/locate/live_process.h"
#include "symbolizer/names/locate/module_file.h"

/// File: looks into one process after the other, at four places each, from the most to the least
/// certain one. An entry of map_files or exe is the mapped file itself, even if it has no name any
/// more; a descriptor or a path may be another file, so that its inode is compared where there is
/// no build id.

namespace csink::symbolizer {
namespace {

/// A server may have a million descriptors, each of which costs a readlink.
constexpr std::size_t kMaxDescriptors = 4096;

/// Opens an ELF file; nullopt without a reason, since the next place is tried.
std::optional<ElfFile> Open(const std::string& path) {
  auto object = ObjectBytes::Open(path);
  if (!object) return std::nullopt;
  auto elf = ElfFile::Read(std::move(*object));
  if (!elf) return std::nullopt;
  return std::move(*elf);
}

/// Where a link in /proc leads; "" if it cannot be read.
std::string LinkText(const std::string& link) {
  char text[4096];
  const ssize_t bytes = ::readlink(link.c_str(), text, sizeof text);
  return bytes <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(bytes));
}

/// Searches one process for the request's file.
class Search {
 public:
  Search(const ModuleRequest& request, const std::string& proc, std::uint32_t pid)
      : request_(request),
        folder_(proc + "/" + std::to_string(pid)),
        mappings_(FindMappings(proc, pid, request.path)) {}

  std::optional<ElfFile> Run() const {
    for (const MappedFile& mapping : mappings_) {
      if (!MayBe(mapping)) continue;
      if (auto elf = Checked(folder_ + "/map_files/" + mapping.range, IsCertain(mapping))) {
        return elf;
      }
    }
    const std::string shown = request_.path;
    const std::string deleted = shown + " (deleted)";
    const auto is_it = [&](const std::string& text) { return text == shown || text == deleted; };
    const std::string executable = folder_ + "/exe";
    if (is_it(LinkText(executable))) {
      if (auto elf = CheckedByInode(executable)) return elf;
    }
    // A memfd or a deleted file has no path, but may be open in the process.
    if (request_.path.starts_with("/memfd:") || request_.is_deleted) {
      if (auto elf = OpenDescriptor(is_it)) return elf;
    }
    return request_.path.starts_with("/memfd:") ? std::nullopt
                                                : CheckedByInode(folder_ + "/root" + request_.path);
  }

 private:
  // Whether opening the mapping is worth while: without a build id only the inode can confirm it.
  bool MayBe(const MappedFile& mapping) const {
    return !request_.build_id.empty() || IsCertain(mapping);
  }
  /// The mapping shows the same device and inode as /proc/PID/maps did when the profile was taken.
  bool IsCertain(const MappedFile& mapping) const {
    return request_.inode != 0 && mapping.inode == request_.inode &&
           mapping.device_major == request_.device_major &&
           mapping.device_minor == request_.device_minor;
  }
  // Opens an entry of map_files. `certain`: its mapping is the request's.
  std::optional<ElfFile> Checked(const std::string& path, bool certain) const {
    auto elf = Open(path);
    if (!elf) return std::nullopt;
    const bool is_it = request_.build_id.empty() ? certain : elf->BuildId() == request_.build_id;
    return is_it ? std::move(elf) : std::nullopt;
  }
  /// Without a build id, the inode of one of the process's mappings must match.
  std::optional<ElfFile> CheckedByInode(const std::string& path) const {
    auto elf = Open(path);
    if (!elf) return std::nullopt;
    if (!request_.build_id.empty()) {
      return elf->BuildId() == request_.build_id ? std::move(elf) : std::nullopt;
    }
    for (const MappedFile& mapping : mappings_) {
      if (IsCertain(mapping) && elf->object().inode() == mapping.inode) return elf;
    }
    return std::nullopt;
  }
  // Looks for a descriptor whose link text passes `is_it`.
  template <class IsIt>
  std::optional<ElfFile> OpenDescriptor(const IsIt& is_it) const {
    const std::string folder = folder_ + "/fd";
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(folder.c_str()), ::closedir);
    if (!list) return std::nullopt;
    std::size_t seen = 0;
    for (const dirent* entry = nullptr;
         seen < kMaxDescriptors && (entry = ::readdir(list.get())) != nullptr; ++seen) {
      const std::string link = folder + "/" + entry->d_name;
      if (!is_it(LinkText(link))) continue;
      if (auto elf = CheckedByInode(link)) return elf;
    }
    return std::nullopt;
  }

  const ModuleRequest& request_;
  std::string folder_;
  std::vector<MappedFile> mappings_;
};

}  // namespace

std::optional<ElfFile> OpenFromProcesses(const ModuleRequest& request, const std::string& proc) {
  for (const std::uint32_t pid : FindLiveProcesses(proc, request.processes)) {
    if (auto elf = Search(request, proc, pid).Run()) return elf;
  }
  return std::nullopt;
}

}  // namespace csink::symbolizer

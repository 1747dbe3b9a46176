#include "symbolizer/module_file.h"

#include <sys/auxv.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace csink::symbolizer {
namespace {

constexpr std::uint64_t kMaxVdsoBytes = 1u << 20;

/// The end of the mapping that starts at `start`, from our own maps; 0: not found.
std::uint64_t EndOfMapping(std::uint64_t start) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return 0;
  char line[512];
  std::uint64_t found = 0;
  while (found == 0 && std::fgets(line, sizeof line, maps) != nullptr) {
    char* rest = nullptr;
    const std::uint64_t from = std::strtoull(line, &rest, 16);
    if (from == start && *rest == '-') found = std::strtoull(rest + 1, nullptr, 16);
  }
  std::fclose(maps);
  return found;
}

/// Our own vdso: the program's is the same one when the kernel is.
Result<ElfFile> ReadOwnVdso() {
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  const std::uint64_t end = start == 0 ? 0 : EndOfMapping(start);
  if (end <= start || end - start > kMaxVdsoBytes) {
    return Error{Errc::kNotFound, 0, "is not mapped here"};
  }
  Buffer copy(static_cast<std::size_t>(end - start));
  if (copy.size() == 0) return Error{Errc::kLimit, 0, "no memory"};
  std::memcpy(copy.data(), reinterpret_cast<const void*>(start), copy.size());
  return ElfFile::Read(ObjectBytes::FromMemory(std::move(copy)));
}

ModuleFile OpenVdso(const ModuleRequest& request) {
  auto vdso = ReadOwnVdso();
  if (!vdso) return {std::nullopt, "the vdso cannot be read"};
  if (request.build_id.empty() || vdso->BuildId() != request.build_id) {
    return {std::nullopt, "the vdso is another kernel's"};
  }
  return {std::move(*vdso), {}};
}

/// False when `elf` is certainly not what was mapped.
bool IsTheMappedFile(const ModuleRequest& request, const ElfFile& elf) {
  if (!request.build_id.empty()) return elf.BuildId() == request.build_id;
  if (request.is_deleted) return false;
  if (request.inode == 0) return true;
  // Some file systems (btrfs, overlays) show another device in maps than in stat;
  // inodes can be compared only where the device agrees.
  const bool same_device = major(elf.object().device()) == request.device_major &&
                           minor(elf.object().device()) == request.device_minor;
  return !same_device || elf.object().inode() == request.inode;
}

}  // namespace

ModuleFile OpenModule(const ModuleRequest& request, const std::string& root) {
  if (request.is_vdso) return OpenVdso(request);
  // "[heap]", "[vsyscall]", "//anon": memory that the kernel gives a label.
  const std::string& path = request.path;
  if (path.empty() || path.starts_with('[') || path.starts_with("//")) {
    return {std::nullopt, "code without a file"};
  }
  const char* gone = request.is_deleted ? "file deleted since it was mapped" : nullptr;
  auto object = ObjectBytes::Open(root + request.path);
  if (!object) {
    if (gone != nullptr) return {std::nullopt, gone};
    if (object.error().sys_errno == ENOENT) return {std::nullopt, "file not found"};
    return {std::nullopt, std::string("file ") + object.error().what +
                              (object.error().sys_errno == 0
                                   ? std::string()
                                   : ": " + std::string(std::strerror(object.error().sys_errno)))};
  }
  auto elf = ElfFile::Read(std::move(*object));
  if (elf && IsTheMappedFile(request, *elf)) return {std::move(*elf), {}};
  if (!elf && request.build_id.empty()) {
    return {std::nullopt, std::string("file ") + elf.error().what};
  }
  return {std::nullopt, gone != nullptr ? gone : "file replaced since the run"};
}

}  // namespace csink::symbolizer

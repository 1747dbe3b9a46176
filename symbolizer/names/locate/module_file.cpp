#include "symbolizer/names/locate/module_file.h"

#include <sys/auxv.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "core/util/hex.h"
#include "symbolizer/names/elf/linked_object.h"
#include "symbolizer/names/locate/debug_file.h"
#include "symbolizer/names/locate/kept_module.h"
#include "symbolizer/names/locate/module_of_process.h"

/// File: five places in turn (FindModule): the path, processes that still run, a copy that was kept
/// when the process ended, copies under the build id, and a server. Each file is compared with what
/// the profile recorded of the mapping. If no place has the file, the answer says why the path was
/// refused.

namespace csink::symbolizer {
namespace {

/// The vdso has a few pages.
constexpr std::uint64_t kMaxVdsoBytes = 1u << 20;

/// The end of the mapping that starts at `start` in this process; 0: there is none. AT_SYSINFO_EHDR
/// tells the start alone.
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

/// Reads the vdso of this process. It is the same as the program's if the kernel is the same; the
/// build id decides.
Result<ElfFile> ReadOwnVdso() {
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  const std::uint64_t end = start == 0 ? 0 : EndOfMapping(start);
  if (end <= start || end - start > kMaxVdsoBytes) {
    return Error{Errc::kNotFound, 0, "is not mapped in this process"};
  }
  Buffer copy(static_cast<std::size_t>(end - start));
  if (copy.size() == 0) return Error{Errc::kLimit, 0, "not enough memory"};
  // The vdso has no file; its memory is a complete ELF image.
  std::memcpy(copy.data(), reinterpret_cast<const void*>(start), copy.size());
  return ElfFile::Read(ObjectBytes::FromMemory(std::move(copy)));
}

ModuleFile OpenVdso(const ModuleRequest& request) {
  auto vdso = ReadOwnVdso();
  if (!vdso) return {std::nullopt, "the vdso cannot be read"};
  if (request.build_id.empty() || vdso->BuildId() != request.build_id) {
    return {std::nullopt, "the vdso belongs to another kernel"};
  }
  return {std::move(*vdso), {}};
}

/// Some file systems (btrfs, overlayfs) show another device in /proc/PID/maps than in stat(2).
/// Inodes can be compared only if the devices are the same.
bool IsSameDevice(const ModuleRequest& request, const ElfFile& elf) {
  return major(elf.object().device()) == request.device_major &&
         minor(elf.object().device()) == request.device_minor;
}

/// Whether a file that passed IsTheMappedFile may still be a different one: neither build id nor
/// inode confirmed it.
bool IsDoubtful(const ModuleRequest& request, const ElfFile& elf) {
  return request.build_id.empty() && !IsSameDevice(request, elf);
}

/// "0123456789abcdef": the first 8 bytes of a build id, enough to tell two ids apart.
std::string Brief(std::span<const std::uint8_t> build_id) {
  return build_id.empty() ? "none"
                          : ToHex(build_id.first(std::min<std::size_t>(8, build_id.size())));
}

/// The reason as a user reads it, with the text of errno.
std::string WhyNotOpened(const Error& error) {
  if (error.sys_errno == ENOENT) return "file not found";
  std::string text = std::string("file ") + error.what;
  if (error.sys_errno != 0) text += ": " + std::string(std::strerror(error.sys_errno));
  return text;
}

/// A copy of the file itself, by its build id: below /usr/lib/debug/.build-id, or from a server.
std::optional<ElfFile> OpenKeptByBuildId(const ModuleRequest& request, const Options& options) {
  if (request.build_id.empty()) return std::nullopt;
  std::vector<std::string> places = {options.root + BuildIdPath(request.build_id, "")};
  if (options.fetch) places.push_back(options.fetch(request.build_id, FetchKind::kExecutable));
  for (const std::string& place : places) {
    if (place.empty()) continue;
    auto object = ObjectBytes::Open(place);
    if (!object) continue;
    auto elf = ElfFile::Read(std::move(*object));
    if (elf && elf->BuildId() == request.build_id) return std::move(*elf);
  }
  return std::nullopt;
}

/// Opens the file at the path, or says why it is not the one that was mapped.
ModuleFile OpenByPath(const ModuleRequest& request, const std::string& root) {
  // A file at the path of a deleted one may be the same file again (a package that was installed
  // anew), so the path is tried; its build id decides.
  const char* gone = request.is_deleted ? "file deleted since it was mapped" : nullptr;
  auto object = ObjectBytes::Open(root + request.path);
  if (!object) return {std::nullopt, gone != nullptr ? gone : WhyNotOpened(object.error())};
  auto elf = ElfFile::Read(std::move(*object));
  if (elf && IsTheMappedFile(request, *elf)) return {std::move(*elf), {}};
  if (gone != nullptr) return {std::nullopt, gone};
  if (!elf && request.build_id.empty()) {
    return {std::nullopt, std::string("file ") + elf.error().what};
  }
  std::string problem = "file replaced since the run";
  if (elf && !request.build_id.empty()) {
    problem += " (build-id " + Brief(request.build_id) + " ran, " + Brief(elf->BuildId()) +
               " is in the file now)";
  }
  return {std::nullopt, std::move(problem)};
}

}  // namespace

bool IsTheMappedFile(const ModuleRequest& request, const ElfFile& elf) {
  if (!request.build_id.empty()) return elf.BuildId() == request.build_id;
  // Without a build id, a file at the path of a deleted file is certainly another one.
  if (request.is_deleted) return false;
  if (request.inode == 0) return true;
  return !IsSameDevice(request, elf) || elf.object().inode() == request.inode;
}

namespace {

ModuleFile FindModule(const ModuleRequest& request, const Options& options) {
  if (request.is_vdso) return OpenVdso(request);
  // "[heap]", "[vsyscall]", "//anon": labels of the kernel for memory without a file.
  const std::string& path = request.path;
  if (path.empty() || path.starts_with('[') || path.starts_with("//")) {
    return {std::nullopt, "code without a file"};
  }
  ModuleFile file = OpenByPath(request, options.root);
  // A doubtful file is used only if no running process has a better one.
  if (file.elf && !IsDoubtful(request, *file.elf)) return file;
  if (auto elf = OpenFromProcesses(request, options.root + "/proc")) return {std::move(elf), {}};
  if (auto elf = OpenKeptModule(request)) return {std::move(elf), {}};
  if (file.elf) return file;
  if (auto elf = OpenKeptByBuildId(request, options)) return {std::move(elf), {}};
  return file;
}

}  // namespace

ModuleFile OpenModule(const ModuleRequest& request, const Options& options) {
  ModuleFile file = FindModule(request, options);
  if (!file.elf) return file;
  auto linked = LinkObject(*std::move(file.elf));
  if (!linked) return {std::nullopt, WhyNotOpened(linked.error())};
  return {std::move(*linked), {}};
}

}  // namespace csink::symbolizer

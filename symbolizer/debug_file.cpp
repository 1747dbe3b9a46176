#include "symbolizer/debug_file.h"

#include <libdeflate.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "symbolizer/inflate.h"

namespace csink::symbolizer {
namespace {

constexpr std::uint64_t kMaxMiniDebugBytes = 256u << 20;

struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

std::optional<DebugLink> ReadDebugLink(const ElfFile& elf) {
  const auto section = elf.FindSection(".gnu_debuglink");
  if (!section) return std::nullopt;
  const Buffer bytes = elf.ReadSection(*section);
  ByteReader reader(bytes.bytes());
  DebugLink link;
  link.name = reader.Text();
  while (reader.offset() % 4 != 0 && !reader.AtEnd()) reader.U8();
  link.crc = reader.U32();
  // A name with a slash could lead anywhere; no tool writes one.
  if (!reader.ok() || link.name.empty() || link.name.find('/') != std::string::npos) {
    return std::nullopt;
  }
  return link;
}

bool HasCrc(const ObjectBytes& object, std::uint32_t wanted) {
  constexpr std::uint64_t kPiece = 1u << 20;
  Buffer piece(kPiece);
  std::uint32_t crc = 0;
  for (std::uint64_t offset = 0; offset < object.size(); offset += kPiece) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, object.size() - offset));
    if (size > piece.size() || !object.Read(offset, size, piece.data())) return false;
    crc = libdeflate_crc32(crc, piece.data(), size);
  }
  return crc == wanted;
}

std::optional<DebugFile> Try(const std::string& root, std::string path, const ElfFile& elf,
                             const std::vector<std::uint8_t>& build_id, const DebugLink* link) {
  auto object = ObjectBytes::Open(root + path);
  if (!object) return std::nullopt;
  // A link that leads back to the file itself.
  if (object->inode() == elf.object().inode() && object->device() == elf.object().device()) {
    return std::nullopt;
  }
  auto candidate = ElfFile::Read(std::move(*object));
  if (!candidate || candidate->machine() != elf.machine()) return std::nullopt;
  if (!build_id.empty()) {
    if (candidate->BuildId() != build_id) return std::nullopt;
  } else if (link == nullptr || !HasCrc(candidate->object(), link->crc)) {
    return std::nullopt;
  }
  return DebugFile{std::move(path), std::move(*candidate)};
}

}  // namespace

std::string BuildIdPath(std::span<const std::uint8_t> build_id, const std::string& suffix) {
  if (build_id.size() < 2) return {};
  const std::string hex = ToHex(build_id);
  return std::string(kDebugFolder) + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) +
         suffix;
}

namespace {

/// "" for what lies in the root, "." for a name alone.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// A folder from where we are; what was mapped is absolute already.
std::string Absolute(const std::string& folder) {
  if (folder.empty() || folder[0] == '/') return folder;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return folder;
  std::string absolute = (here / folder).lexically_normal().string();
  while (absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

/// By .gnu_debuglink.
std::optional<DebugFile> FollowLink(const ElfFile& elf, const std::string& path,
                                    const std::string& root,
                                    const std::vector<std::uint8_t>& build_id) {
  const auto link = ReadDebugLink(elf);
  if (!link) return std::nullopt;
  const std::string folder = FolderOf(path);
  const std::string absolute = Absolute(folder);
  std::vector<std::string> places = {folder + "/", folder + "/.debug/",
                                     kDebugFolder + absolute + "/"};
  // Packages from before /lib and /usr/lib became one.
  if (absolute.starts_with("/usr/")) places.push_back(kDebugFolder + absolute.substr(4) + "/");
  for (const std::string& place : places) {
    if (auto found = Try(root, place + link->name, elf, build_id, &*link)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DebugFile> FindDebugFile(const ElfFile& elf, const std::string& path,
                                       const std::string& root, const FetchFile& fetch) {
  const std::vector<std::uint8_t> build_id = elf.BuildId();
  if (auto by_id = BuildIdPath(build_id); !by_id.empty()) {
    if (auto found = Try(root, std::move(by_id), elf, build_id, nullptr)) return found;
  }
  if (auto found = FollowLink(elf, path, root, build_id)) return found;
  if (!fetch || build_id.empty()) return std::nullopt;
  std::string fetched = fetch(build_id, FetchKind::kDebugInfo);
  if (fetched.empty()) return std::nullopt;
  return Try("", std::move(fetched), elf, build_id, nullptr);
}

std::optional<ElfFile> ReadMiniDebugInfo(const ElfFile& elf) {
  const auto section = elf.FindSection(".gnu_debugdata");
  if (!section) return std::nullopt;
  const Buffer packed = elf.ReadSection(*section);
  Buffer bytes = InflateXz(packed.bytes(), kMaxMiniDebugBytes);
  if (bytes.size() == 0) return std::nullopt;
  auto mini = ElfFile::Read(ObjectBytes::FromMemory(std::move(bytes)));
  if (!mini) return std::nullopt;
  return std::move(*mini);
}

}  // namespace csink::symbolizer

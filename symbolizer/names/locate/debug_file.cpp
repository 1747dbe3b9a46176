#include "symbolizer/names/locate/debug_file.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/util/hex.h"
#include "symbolizer/names/bytes/inflate.h"
#include "symbolizer/names/elf/linked_object.h"

/// File: a list of candidates in order of preference, and one check for all of them (Search::Try).
/// A wrong debug file gives wrong names for every address, so that a candidate which cannot be
/// checked is refused. The first refusal is kept for the report: it tells users why a file that
/// they installed has no effect.

namespace csink::symbolizer {
namespace {

/// Inflated size. The section holds a symbol table only.
constexpr std::uint64_t kMaxMiniDebugBytes = 256u << 20;

/// The contents of .gnu_debuglink: a file name, padding to 4 bytes, the CRC of the file.
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
  // A name with a slash could lead to any folder; no tool writes such names.
  if (!reader.ok() || link.name.empty() || link.name.find('/') != std::string::npos) {
    return std::nullopt;
  }
  return link;
}

/// CRC-32 of the whole file (the one that .gnu_debuglink uses). nullopt: the file cannot be read.
std::optional<std::uint32_t> CrcOf(const ObjectBytes& object) {
  // In pieces, because debug files have gigabytes.
  constexpr std::uint64_t kPiece = 1u << 20;
  Buffer piece(kPiece);
  std::uint32_t crc = 0;
  for (std::uint64_t offset = 0; offset < object.size(); offset += kPiece) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, object.size() - offset));
    if (size > piece.size() || !object.Read(offset, size, piece.data())) return std::nullopt;
    crc = libdeflate_crc32(crc, piece.data(), size);
  }
  return crc;
}

std::string Hex(std::uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", number);
  return text;
}

/// The search for the debug file of one file.
class Search {
 public:
  Search(const ElfFile& elf, const std::string& root)
      : elf_(elf), root_(root), build_id_(elf.BuildId()) {}

  const std::vector<std::uint8_t>& build_id() const { return build_id_; }
  /// Why the first existing candidate was not accepted.
  const std::string& refused() const { return refused_; }

  /// Searches by .gnu_debuglink. `path` is the path of the file that has the link.
  std::optional<DebugFile> FollowLink(const std::string& path);
  // Opens and checks one candidate at `root` + `path`. `link` is null for candidates that are found
  // by build id alone.
  std::optional<DebugFile> Try(const std::string& root, std::string path, const DebugLink* link);
  // A candidate below the root, found by build id.
  std::optional<DebugFile> TryHere(std::string path) {
    return Try(root_, std::move(path), nullptr);
  }

 private:
  // Why the candidate is not the debug file; "" if it is.
  std::string Misfit(const ElfFile& candidate, const DebugLink* link) const;

  const ElfFile& elf_;
  const std::string& root_;
  const std::vector<std::uint8_t> build_id_;
  std::string refused_;
};

std::optional<DebugFile> Search::Try(const std::string& root, std::string path,
                                     const DebugLink* link) {
  auto object = ObjectBytes::Open(root + path);
  if (!object) return std::nullopt;
  // A debuglink may have the name of the file itself, which then passes every check.
  if (object->inode() == elf_.object().inode() && object->device() == elf_.object().device()) {
    return std::nullopt;
  }
  auto candidate = ElfFile::Read(std::move(*object));
  std::string why = candidate ? Misfit(*candidate, link) : candidate.error().what;
  if (why.empty()) {
    candidate = LinkObject(std::move(*candidate));
    if (candidate) return DebugFile{std::move(path), std::move(*candidate)};
    why = candidate.error().what;
  }
  // Only the first reason is kept: candidates are tried in the order of preference.
  if (refused_.empty()) refused_ = "the debug file " + path + " " + why;
  return std::nullopt;
}

/// Why the candidate is not the debug file; empty: it is.
std::string Search::Misfit(const ElfFile& candidate, const DebugLink* link) const {
  if (candidate.machine() != elf_.machine()) return "is for another architecture";
  // A build id is exact, and cheaper than a CRC: the CRC is not looked at.
  if (!build_id_.empty()) {
    const bool is_same = candidate.BuildId() == build_id_;
    return is_same ? "" : "belongs to another build (the build-ids differ)";
  }
  if (link == nullptr) return "cannot be checked without a build-id";
  const auto crc = CrcOf(candidate.object());
  if (!crc) return "cannot be read";
  if (*crc == link->crc) return "";
  return "belongs to another build (CRC " + Hex(*crc) + ", " + Hex(link->crc) + " is expected)";
}

}  // namespace

std::string BuildIdPath(std::span<const std::uint8_t> build_id, const std::string& suffix) {
  if (build_id.size() < 2) return {};
  const std::string hex = ToHex(build_id);
  return std::string(kDebugFolder) + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) +
         suffix;
}

namespace {

/// "" for a file in the root folder, "." for a name without a folder.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// A path relative to the working folder. Mapped files always have absolute paths; only paths from
/// the command line may be relative.
std::string Absolute(const std::string& folder) {
  if (folder.empty() || folder[0] == '/') return folder;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return folder;
  std::string absolute = (here / folder).lexically_normal().string();
  while (absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

std::optional<DebugFile> Search::FollowLink(const std::string& path) {
  const auto link = ReadDebugLink(elf_);
  if (!link) return std::nullopt;
  const std::string folder = FolderOf(path);
  const std::string absolute = Absolute(folder);
  std::vector<std::string> places = {folder + "/", folder + "/.debug/",
                                     kDebugFolder + absolute + "/"};
  // Packages that are older than the merge of /lib and /usr/lib install debug files below the old
  // path.
  if (absolute.starts_with("/usr/")) places.push_back(kDebugFolder + absolute.substr(4) + "/");
  for (const std::string& place : places) {
    if (auto found = Try(root_, place + link->name, &*link)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DebugFile> FindDebugFile(const ElfFile& elf, const std::string& path,
                                       const std::string& root, const FetchFile& fetch,
                                       std::string* refused) {
  Search search(elf, root);
  if (auto by_id = BuildIdPath(search.build_id()); !by_id.empty()) {
    if (auto found = search.TryHere(std::move(by_id))) return found;
  }
  if (auto found = search.FollowLink(path)) return found;
  if (fetch && !search.build_id().empty()) {
    std::string fetched = fetch(search.build_id(), FetchKind::kDebugInfo);
    if (!fetched.empty()) {
      // The path that `fetch` returns is complete, without the root. The answer of a server is
      // checked like any other file.
      if (auto found = search.Try("", std::move(fetched), nullptr)) return found;
    }
  }
  if (refused != nullptr) *refused = search.refused();
  return std::nullopt;
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
